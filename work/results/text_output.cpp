// SPDX-License-Identifier: Apache-2.0
#include "work/results/text_output.hpp"

#include <filesystem>
#include <ostream>
#include <system_error>

namespace lockkeeper {

TextOutput::TextOutput(std::ostream& standard, std::string path, OutputRule rule)
    : standard_(standard), path_(std::move(path)) {
    if (path_ != "/dev/stdout") {
        claim_.emplace(path_, std::move(rule));
    }
}

void TextOutput::write(std::string_view text) {
    if (claim_) {
        claim_->write(text);
    } else {
        standard_ << text << std::flush;
    }
}

void make_directory(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error || !std::filesystem::is_directory(path, error)) {
        throw OutputError("\"" + path + "\" is no directory and cannot be made one" +
                          (error ? ": " + error.message() : ""));
    }
    UnfinishedFile trial = begin_file(path + "/trace");
    discard_file(trial);
}

}  // namespace lockkeeper
