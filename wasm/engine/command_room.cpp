// SPDX-License-Identifier: Apache-2.0
#include "wasm/engine/command_room.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace lockkeeper {
namespace {

namespace fs = std::filesystem;

void empty(const fs::path& directory) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
        fs::remove_all(entry.path(), ignored);
    }
}

std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

bool is_inside(std::string_view name) {
    if (name.empty() || name.find('\0') != std::string_view::npos) {
        return false;
    }
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('/', begin), name.size());
        const std::string_view part = name.substr(begin, end - begin);
        if (part.empty() || part == "." || part == "..") {
            return false;
        }
        begin = end + 1;
    }
    return true;
}

CommandRoom::CommandRoom(fs::path directory, const std::vector<NamedText>& files)
    : directory_(std::move(directory)), before_(fs::current_path()) {
    if (files.size() > kFilesMax) {
        throw std::runtime_error("more than " + std::to_string(kFilesMax) + " files");
    }
    empty(directory_);
    for (const NamedText& file : files) {
        const fs::path path = directory_ / file.name;
        std::error_code failed;
        fs::create_directories(path.parent_path(), failed);
        std::ofstream out(path, std::ios::binary);
        if (file.text.size() > kBytesMax || !(out << file.text)) {
            throw std::runtime_error(file.name + ": cannot be written");
        }
        given_[file.name] = file.text;
    }
    fs::current_path(directory_);
}

CommandRoom::~CommandRoom() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    empty(directory_);
}

std::vector<NamedText> CommandRoom::written() const {
    std::vector<NamedText> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory_)) {
        if (!entry.is_regular_file()) {
            continue;
        }
        NamedText file{entry.path().lexically_relative(directory_).generic_string(),
                       text_of(entry.path())};
        const auto given = given_.find(file.name);
        if (given == given_.end() || given->second != file.text) {
            found.push_back(std::move(file));
        }
        if (found.size() > kFilesMax) {
            throw std::runtime_error("the command has written too many files");
        }
    }
    std::sort(found.begin(), found.end(),
              [](const NamedText& left, const NamedText& right) { return left.name < right.name; });
    return found;
}

}  // namespace lockkeeper
