// SPDX-License-Identifier: Apache-2.0

// Writes the manual pages and the completion of shells into a directory, laid out as they are
// installed below share/: lockkeeper_manual DIR DATE. The build runs it. Exit codes: 0, or 1 with a
// line on stderr.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "manual/completion.hpp"
#include "manual/man_page.hpp"
#include "scenarios/registry/shipped_systems.hpp"

namespace lockkeeper {
namespace {

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << text << std::flush;
    if (!file) {
        throw std::runtime_error(path.string() + ": cannot be written");
    }
}

void write_all(const std::filesystem::path& directory, const std::string& date) {
    write(directory / "man/man1/lockkeeper.1", man_page(date));
    for (const VerbRow& verb : verbs()) {
        write(directory / "man/man1" / (std::string("lockkeeper-") + name_of(verb.command) + ".1"),
              man_page_of(verb, date));
    }
    const Registry registry = shipped_systems();
    const CompletionNames names(registry);
    write(directory / "bash-completion/completions/lockkeeper", bash_completion(names));
    write(directory / "zsh/site-functions/_lockkeeper", zsh_completion(names));
    write(directory / "fish/vendor_completions.d/lockkeeper.fish", fish_completion(names));
}

}  // namespace
}  // namespace lockkeeper

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: lockkeeper_manual DIR DATE\n";
        return 1;
    }
    try {
        lockkeeper::write_all(argv[1], argv[2]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "lockkeeper_manual: " << error.what() << "\n";
        return 1;
    }
}
