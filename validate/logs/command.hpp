// SPDX-License-Identifier: Apache-2.0

// `lockkeeper explain`: logs in, the run that explains them out. Called by app/.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

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
};

// The exit code of the command: 0 explained; 1 not explained, or an effect of a caller that did not
// hold; 2 it hangs on what the logs do not say, or a limit came first; 65 a log is refused, which
// `err` says.
int run_command(const Asked& asked, std::ostream& out, std::ostream& err);

}  // namespace lockkeeper::logs
