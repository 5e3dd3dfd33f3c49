// What holds where neither the command line, nor the environment, nor the scenario says otherwise:
// in words, from the constants that the verbs read. `--help` prints it, and a test holds the tables
// of docs/ to it.
#pragma once

#include <span>
#include <string>

#include "app/options.hpp"

namespace lockkeeper {

struct FlagDefault {
    const char* flag;
    unsigned commands;  // a CommandSet
    std::string text;   // "10,000"
};

[[nodiscard]] std::span<const FlagDefault> flag_defaults();
// Empty: the flag has none, or help says it in its own words.
[[nodiscard]] std::string default_of(const std::string& flag, Command command);

}  // namespace lockkeeper
