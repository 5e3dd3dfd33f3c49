// SPDX-License-Identifier: Apache-2.0
#include "work/repository_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include "model/read_text.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper {
namespace {

// Splits a command into words as a shell does, but does not expand variables such as "$HOME".
std::vector<std::string> words_of(const std::string& command) {
    std::vector<std::string> words;
    char quote = 0;
    bool is_inside = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char letter = command[i];
        if (quote == 0 && std::isspace(static_cast<unsigned char>(letter)) != 0) {
            is_inside = false;
            continue;
        }
        if (!is_inside) {
            words.emplace_back();
            is_inside = true;
        }
        if (letter == quote) {
            quote = 0;
        } else if (quote == 0 && (letter == '\'' || letter == '"')) {
            quote = letter;
        } else if (letter == '\\' && quote != '\'' && i + 1 < command.size()) {
            words.back() += command[++i];
        } else {
            words.back() += letter;
        }
    }
    return words;
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

namespace fs = std::filesystem;

// Empty: the file is in no repository.
fs::path repository_above(const fs::path& file) {
    std::error_code error;
    for (fs::path directory = file.parent_path(); !directory.empty();
         directory = directory.parent_path()) {
        if (fs::exists(directory / ".git", error)) {
            return directory;
        }
        if (directory == directory.root_path()) {
            break;
        }
    }
    return {};
}

struct SplitPath {
    std::string root;
    std::string path;
};

SplitPath split_at_root(const std::string& file) {
    if (file == kStandardInput) {
        return {"", file};
    }
    std::error_code error;
    const fs::path whole = fs::absolute(file, error).lexically_normal();
    if (error) {
        return {"", file};
    }
    fs::path root = repository_above(whole);
    if (root.empty()) {
        root = fs::current_path(error);
    }
    const fs::path below = whole.lexically_relative(root);
    const bool is_below = !error && !below.empty() && *below.begin() != "..";
    return is_below ? SplitPath{root.string(), below.generic_string()}
                    : SplitPath{"", whole.generic_string()};
}

}  // namespace

std::string file_of_command(const std::string& command) {
    std::vector<std::string> words = words_of(command);
    const std::string program = words.empty() ? "" : words.front();
    std::erase_if(words, [](const std::string& word) { return !is_file(word); });
    const auto first = [&](const auto& is_such) {
        const auto found = std::find_if(words.begin(), words.end(), is_such);
        return found == words.end() ? std::string() : *found;
    };
    std::string file =
        first([](const std::string& word) { return !repository_root(word).empty(); });
    if (file.empty()) {
        file = first([](const std::string& word) { return ::access(word.c_str(), X_OK) != 0; });
    }
    if (file.empty()) {
        file = first([](const std::string&) { return true; });
    }
    return file.empty() && !program.empty() ? databases::find_program(program) : file;
}

std::string repository_path(const std::string& file) { return split_at_root(file).path; }

std::string repository_root(const std::string& file) { return split_at_root(file).root; }

}  // namespace lockkeeper
