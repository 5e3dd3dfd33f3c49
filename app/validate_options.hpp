// The flags of `validate`: one of four ways in, each with its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validate/histories/order_records.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): as the library calls it
class App;
}

namespace lockkeeper {

inline constexpr const char* kLevelDefault = "stepped";
inline constexpr const char* kSearchDefault = "both";

struct ValidateFlags {
    // Recorded histories (validate_history.cpp).
    std::optional<std::string> history;
    std::optional<std::string> model;
    OrderChoice order;
    std::string order_flags;  // as they were given: " --sort-by-time --time-unit ms"
    // A program that speaks the protocol of docs/reference/protocol.md (validate_program.cpp).
    std::optional<std::string> program;
    std::optional<std::string> level;   // stepped, black-box
    std::optional<std::string> search;  // explore, random, both
    std::optional<std::uint32_t> preemptions_max;
    std::optional<double> answer_seconds;
    std::optional<double> recovery_seconds;
    bool process_per_caller = false;
    std::optional<std::string> replay_choices;  // a schedule's line
    // A real database server (validate_database.cpp).
    std::optional<std::string> server;
    // Another implementation, driven by the same schedules (validate_against.cpp).
    std::optional<std::string> against;
};

// `files`: scenarios. A value that is wrong ends in a UsageError, which names the flag.
void add_validate_flags(CLI::App& command, ValidateFlags& flags, std::vector<std::string>& files);

}  // namespace lockkeeper
