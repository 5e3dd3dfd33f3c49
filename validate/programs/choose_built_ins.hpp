// SPDX-License-Identifier: Apache-2.0

// Chooses the built-in scenarios that fit a program.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scenarios/find_files.hpp"
#include "scenarios/recorded_trace.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

struct BuiltInChoice {
    ProgramOptions program;          // for a short look at the program
    std::vector<std::string> files;  // the named ones; empty: those that fit
    bool process_per_caller = false;
    double seconds_max = 1e18;
};

struct ChosenBuiltIns {
    std::vector<std::string> names;
    std::vector<std::string> left_out;  // "built-in:three-callers: left out: ...", with the reason
    std::int64_t lease_time =
        0;  // of the program's grants: ticks, or milliseconds; 0: they have no end
};

// Returns the named scenarios; if none is named, those that fit the program after a short look at
// it. Throws UsageError for a built-in scenario that does not exist, or not at this level.
[[nodiscard]] ChosenBuiltIns choose_built_ins(const BuiltInChoice& choice);

// The built-in scenarios, in whose place code hosts show `stands_for`, and the named files.
[[nodiscard]] std::vector<InputFile> files_with(const std::vector<std::string>& built_ins,
                                                std::vector<std::string> named,
                                                const std::string& stands_for);

// Loads a file, or the built-in scenario named so, fitted to the program's leases. Throws BadInput.
[[nodiscard]] std::variant<Scenario, RecordedTrace> load_for_program(const std::string& file,
                                                                     bool is_stepped,
                                                                     std::int64_t lease_time);

}  // namespace lockkeeper
