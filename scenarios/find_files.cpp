// SPDX-License-Identifier: Apache-2.0
#include "scenarios/find_files.hpp"

#include <algorithm>
#include <filesystem>

#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/cases.hpp"

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

bool is_wanted(const std::string& name, FileKind kind) {
    const bool is_trace = name.ends_with(".trace.json");
    return kind == FileKind::kTraces ? is_trace : name.ends_with(".json") && !is_trace;
}

void add_cases(const std::string& file, std::vector<InputFile>& files) {
    for (std::string& one : each_case(file)) {
        files.push_back({std::move(one), ""});
    }
}

std::vector<InputFile> search(const std::string& directory, FileKind kind) {
    std::vector<InputFile> found;
    std::error_code error;
    fs::recursive_directory_iterator entry(directory, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (entry->is_directory(error) && entry->path().filename() == "schema") {
            entry.disable_recursion_pending();
        } else if (entry->is_regular_file(error) &&
                   is_wanted(entry->path().filename().string(), kind)) {
            found.push_back({entry->path().string(), ""});
        }
    }
    if (error) {
        return {{directory, "cannot be searched: " + error.message()}};
    }
    if (found.empty()) {
        return {{directory, kind == FileKind::kTraces
                                ? "the directory contains no trace (*.trace.json)"
                                : "the directory contains no scenario (*.json)"}};
    }
    std::sort(found.begin(), found.end(),
              [](const InputFile& a, const InputFile& b) { return a.path < b.path; });
    if (kind == FileKind::kTraces) {
        return found;
    }
    std::vector<InputFile> cases;
    for (const InputFile& file : found) {
        add_cases(file.path, cases);
    }
    return cases;
}

}  // namespace

std::vector<InputFile> find_files(const std::vector<std::string>& named, FileKind kind) {
    std::vector<InputFile> files;
    if (std::count(named.begin(), named.end(), kStandardInput) > 1) {
        throw UsageError("- (standard input) can be read once");
    }
    for (const std::string& name : named) {
        if (name == kStandardInput) {
            files.push_back({name, ""});
            continue;
        }
        std::error_code error;
        const fs::file_status status = fs::status(name, error);
        if (fs::is_directory(status)) {
            auto found = search(name, kind);
            files.insert(files.end(), found.begin(), found.end());
        } else if (fs::exists(status) && !fs::is_regular_file(status)) {
            // A pipe would be waited for until somebody writes to it.
            files.push_back({name, "is no regular file"});
        } else if (kind == FileKind::kEachCase) {
            add_cases(name, files);
        } else {
            files.push_back({name, ""});
        }
    }
    return files;
}

}  // namespace lockkeeper
