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
    std::uint64_t executions_max = 10'000'000;
    double seconds_max = 60;
    bool tells_flags = false;
};

// The exit code of the command. The program takes the place of this process, so that it has the
// terminal and its signals. UsageError, OutputError: what the caller handles anyway.
int run_command(const Asked& asked, const std::vector<std::string>& program, std::ostream& out);

}  // namespace lockkeeper::threads
