// SPDX-License-Identifier: Apache-2.0

// A scenario made ready to run: understood, and the system built. `prepare` in app/ lays the
// command line over the file before.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// `scenario`: its seed, strategy, numbers and checks are those of the command line, if it has any.
struct Job : Understood {
    std::string file;  // as named on the command line; for a trace file, that
    // For lines to be pasted: what the executable is called, and " --set grace=3" as it was given.
    std::string program;
    std::string set_flags;
    bool is_check_of_flag = false;  // the command line says what is checked
    std::unique_ptr<Runner> runner;
};

// Or what is wrong with it; also names in `expect` that could never be met.
[[nodiscard]] std::variant<Job, InputError> make_job(const Registry& registry, Scenario scenario);

// The options that the scenario says; all others are the defaults. `asked`: instead of the
// scenario's own reduction.
[[nodiscard]] ExploreOptions explore_options_of(const Job& job,
                                                std::optional<AskedReduction> asked = {});
[[nodiscard]] FuzzOptions fuzz_options_of(const Job& job);

// Names the chooser of the scenario's method: "breadth-first", "feedback", "order", "replay".
[[nodiscard]] std::string strategy_of(const Job& job);

// Null: it has none.
[[nodiscard]] const Schedule* own_schedule(const Job& job);
// The scenario's own schedule or order. BadInput where it has neither.
[[nodiscard]] Trace run_as_written(const Job& job, const ReplayOptions& options);

}  // namespace lockkeeper
