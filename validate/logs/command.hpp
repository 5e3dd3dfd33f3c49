// SPDX-License-Identifier: Apache-2.0

// `lockkeeper explain`: logs in, the run that explains them out. Called by app/.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"

namespace lockkeeper::logs {

struct Asked {
    std::vector<std::string> logs;          // FILE or FILE=READER
    std::string model;                      // "lease:ttl=15s"
    std::optional<std::string> mapping;     // a file
    std::vector<std::string> clock_errors;  // "5ms", or "SOURCE=5ms"
    std::optional<std::uint32_t> lost_max;
    std::optional<std::string> around;  // a time as the logs write it; lines a minute from it
    double seconds_max = 60;
    std::uint64_t bytes_max = std::uint64_t{1} << 30U;
    // Prints one JSON document, which begins with these keys, and not the text.
    std::optional<nlohmann::ordered_json> document;
};

// The exit code of the command: 0 explained; 1 not explained, or an effect of a caller that did not
// hold; 2 it hangs on what the logs do not say, or a limit came first. LogError: a log is refused.
int run_command(const Asked& asked, std::ostream& out);

}  // namespace lockkeeper::logs
