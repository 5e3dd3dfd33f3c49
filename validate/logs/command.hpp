// SPDX-License-Identifier: Apache-2.0

// `lockkeeper explain`: logs in, the run that explains them out. Called by app/.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {

struct Asked {
    std::vector<std::string> logs;          // FILE or FILE=READER
    std::string model;                      // "lease:ttl=15s"
    std::string shown_model = {};           // as a person asked; empty: that is the model
    std::optional<std::string> mapping;     // a file
    std::vector<std::string> clock_errors;  // "5ms", or "SOURCE=5ms"
    std::optional<std::uint32_t> lost_max;
    std::optional<std::string> around;  // a time as the logs write it; lines a minute from it
    // For whoever makes more of an answer (OnAnswer); nothing of it is done here.
    std::optional<std::string> save;
    std::optional<std::string> variant;
    std::optional<std::string> program;  // a command
    double seconds_max = 60;
    std::uint64_t bytes_max = std::uint64_t{1} << 30U;
    // Prints one JSON document, which begins with these keys, and not the text.
    std::optional<nlohmann::ordered_json> document;
    // Told now and then of the lock that is searched: lines explained so far, of how many, in how
    // many states. Null: nobody is told.
    OnProgress on_progress = nullptr;
};

// The answer for one lock, with what it was made of. Refers to it all.
struct ToldAnswer {
    const LockAnswer& answer;
    const std::vector<Source>& sources;
    const SequentialModel& model;
    const TimeForm& form;
    const std::string& text;  // for people
    double seconds = 0;
    bool is_only = true;  // the logs are of no other lock
};
// Makes more of an answer; the text that it returns stands behind the answer's.
using OnAnswer = std::function<std::string(const ToldAnswer&)>;

// The exit code of the command: 0 explained; 1 not explained, or an effect of a caller that did not
// hold; 2 it hangs on what the logs do not say, or a limit came first. LogError: a log is refused.
int run_command(const Asked& asked, std::ostream& out, const OnAnswer& on_answer = nullptr);

}  // namespace lockkeeper::logs
