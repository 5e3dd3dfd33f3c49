// SPDX-License-Identifier: Apache-2.0

// `lockkeeper threads`: a program that is linked with the runtime explores itself; the command
// tells it how, and refuses one that is not linked so.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace lockkeeper::threads {

struct Asked {
    std::string model = "c11";
    std::string strategy = "all";  // or "random", "pct:D"
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;  // of the latter
    std::string replayed;                  // a line that a run has printed
    std::uint64_t executions_max = 10'000'000;
    double seconds_max = 60;
    std::uint16_t spurious_max = 1;             // wake-ups of each thread that nobody sent
    std::uint16_t timeouts_max = 1;             // of each thread
    std::uint16_t allocation_failures_max = 0;  // of each thread but main
    std::uint16_t weak_failures_max = 0;        // of each thread's weak compare-exchanges
    bool finds_leaks = false;
    bool trusts_headers = false;  // atomic accesses of the C++ library count as seq_cst
    bool tells_flags = false;
};

// The exit code of the command. The program takes the place of this process, so that it has the
// terminal and its signals. UsageError, OutputError: what the caller handles anyway.
int run_command(const Asked& asked, const std::vector<std::string>& program, std::ostream& out);

}  // namespace lockkeeper::threads
