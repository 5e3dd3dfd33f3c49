// SPDX-License-Identifier: Apache-2.0
#include "work/failure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <new>
#include <system_error>
#include <vector>

#include "model/check.hpp"
#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"
#include "scheduler/base/checkpoint.hpp"
#include "scheduler/base/output_file.hpp"
#include "scheduler/search/explore.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper {

std::optional<Verdict> failure_of(const std::string& name, const std::function<void()>& run) {
    try {
        run();
        return std::nullopt;
    } catch (const BadInput& error) {
        return RefusedFile{error.what(), error.place().value_or(TextPlace{})};
    } catch (const CheckpointError& error) {
        return RefusedFile{error.what()};
    } catch (const OutputError& error) {
        return RefusedFile{error.what()};
    } catch (const LimitExceeded& error) {
        return RefusedFile{name + ": " + error.what()};
    } catch (const UsageError&) {
        throw;
    } catch (const std::bad_alloc&) {
        return Error{name + ": internal error: out of memory (see --memory)"};
    } catch (const std::exception& error) {
        return Error{name + ": internal error: " + error.what()};
    }
}

RunReport run_one_file(const InputFile& file, const std::string& command,
                       const std::function<RunReport(const std::string& path)>& run,
                       const std::function<void(const std::string&)>& complain) {
    RunReport report;
    const auto failure = failure_of(name_in_messages(file.path), [&] {
        if (!file.error.empty()) {
            throw BadInput({file.path, "", file.error});
        }
        report = run(file.path);
    });
    if (failure) {
        complain(detail_of(*failure));
        report = {};
        report.command = command;
        report.file = file.path;
        if (const auto* refused = std::get_if<RefusedFile>(&*failure)) {
            report.place.at = refused->place;
        }
        report.verdict = *failure;
        report.is_interrupted = interrupt_requested();
    }
    if (!file.stands_for.empty()) {
        report.place.at = {};
    }
    const std::string whole =
        file.stands_for.empty() ? named_case(file.path).file : file.stands_for;
    report.place.path = repository_path(whole);
    report.place.root = repository_root(whole);
    return report;
}

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
