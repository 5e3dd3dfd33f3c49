// SPDX-License-Identifier: Apache-2.0
#include "app/beside_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>

#include <fmt/format.h>

#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/base/signals.hpp"
#include "serve/serve.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTool = "tools/clinic/clinic.py";
constexpr const char* kLibraries = "examples/clinic";
constexpr const char* kPython = "python3";

bool has_both(const fs::path& root) {
    std::error_code error;
    return fs::is_regular_file(root / kTool, error) && fs::is_directory(root / kLibraries, error);
}

}  // namespace

std::vector<std::string> clinic_command(const fs::path& command, const Options& options) {
    const auto roots = roots_beside(command);
    const auto* const root = std::find_if(roots.begin(), roots.end(), has_both);
    if (root == roots.end()) {
        throw UsageError(fmt::format(
            "clinic: the libraries are not installed beside this command: {} and {} are "
            "neither in {} nor in {}",
            kTool, kLibraries, roots.front().string(), roots.back().string()));
    }
    // -B: nothing is written beside the installed files.
    std::vector<std::string> words{kPython, "-B", (*root / kTool).string(), "--bin",
                                   command.string()};
    const ClinicFlags& asked = options.clinic;
    const auto add = [&words](const char* flag, const std::optional<std::string>& value) {
        if (value) {
            words.emplace_back(fmt::format("{}={}", flag, *value));
        }
    };
    add("--folder", asked.folder);
    add("--cache", asked.cache);
    if (asked.accepts) {
        words.emplace_back("--accept");
    }
    words.emplace_back("--");
    words.insert(words.end(), options.files.begin(), options.files.end());
    return words;
}

int verb_clinic(const Session& session) {
    std::vector<std::string> words = clinic_command(this_command(), session.options);
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    session.out << std::flush;
    hold_signals();  // the tool takes them
    if (interrupt_requested()) {
        return kExitInterrupted;
    }
    execvp(kPython, arguments.data());
    throw UsageError(
        fmt::format("clinic: {} cannot be started: {}", kPython, std::strerror(errno)));
}

std::string playground_folder(const fs::path& command, const std::vector<std::string>& asked) {
    if (asked.size() > 1) {
        throw UsageError("playground: one folder, and no more");
    }
    if (!asked.empty()) {
        return asked.front();
    }
    const auto [installed, sources] = roots_beside(command);
    const fs::path folders[] = {installed / "playground", sources / "build/playground"};
    for (const fs::path& folder : folders) {
        std::error_code error;
        if (fs::is_regular_file(folder / "index.html", error)) {
            return folder.string();
        }
    }
    throw UsageError(fmt::format(
        "playground: it is neither in {} nor in {}; `make playground` in the sources makes it",
        folders[0].string(), folders[1].string()));
}

int verb_playground(const Session& session) {
    return serve_playground(
        {playground_folder(this_command(), session.options.files), session.options.port},
        session.out, [&](const std::string& line) { session.complain(line); });
}

}  // namespace lockkeeper
