// The flags of `sweep` that no other verb has.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as the library calls it
class App;
}

namespace lockkeeper {

struct SweepFlags {
    bool is_long = false;
    bool is_hours = false;
    std::vector<std::pair<std::string, std::string>> where;  // axis, choice
    std::optional<std::string> check;                        // a stored table
    std::optional<std::string> table_file;
    std::optional<std::string> csv_file;
};

// A value that is wrong ends in a UsageError, which names the flag.
void add_sweep_flags(CLI::App& command, SweepFlags& flags);

}  // namespace lockkeeper
