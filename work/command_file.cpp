// SPDX-License-Identifier: Apache-2.0
#include "work/command_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <vector>

#include "validate/servers/private_server.hpp"
#include "work/repository_path.hpp"

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

}  // namespace lockkeeper
