// SPDX-License-Identifier: Apache-2.0
#include "reports/outputs.hpp"

#include <filesystem>
#include <ostream>
#include <system_error>
#include <vector>

#include "validate/histories/history_of_run.hpp"

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

std::string marked_history(const RecordedHistory& history) {
    const std::string text = write_history(history);
    return text.empty() ? text : std::string(kHistoryMark) + text.substr(1);
}

std::string marked_history(const WorldConfig& world, const Trace& trace) {
    std::vector<Event> events;
    for (const TraceStep& step : trace.steps) {
        events.push_back(step.event);
    }
    return marked_history(history_of_run(world, events));
}

}  // namespace lockkeeper
