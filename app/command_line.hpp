// SPDX-License-Identifier: Apache-2.0

// The `lockkeeper` command as a library, so that a program with a lock of its own is the whole
// command line with its own registry (docs/start/your_lock_cpp.md), and tests run it in-process.
//
// Results go to stdout, progress and errors to stderr, the outcome is the exit code
// (work/results/conclusion.hpp). Nothing is thrown. Installs a handler for SIGINT and SIGTERM: the
// first one ends the search with its partial result, the second one ends the process at once.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

class Ranks;  // scheduler/ranks/ranks.hpp

int lockkeeper_main(int argc, char** argv, const Registry& registry);

using Environment = std::function<const char*(const char* name)>;

struct Surroundings {
    std::ostream& out;
    std::ostream& err;
    bool err_is_terminal = false;
    Environment environment;
    std::string program = "lockkeeper";
    Ranks* ranks = nullptr;  // others that run the same command (explore), or help with it
};
// The same without signals and standard streams. `arguments` without the program's name.
int run_lockkeeper(const std::vector<std::string>& arguments, const Registry& registry,
                   const Surroundings& surroundings);

}  // namespace lockkeeper
