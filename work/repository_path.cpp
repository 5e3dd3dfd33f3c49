// SPDX-License-Identifier: Apache-2.0
#include "work/repository_path.hpp"

#include <filesystem>
#include <system_error>

#include "model/read_text.hpp"

namespace lockkeeper {
namespace {

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

std::string repository_path(const std::string& file) { return split_at_root(file).path; }

std::string repository_root(const std::string& file) { return split_at_root(file).root; }

}  // namespace lockkeeper
