// SPDX-License-Identifier: Apache-2.0

// Searching a job, and what that came to as its report: explored or fuzzed, what was found is
// explained, replayed and written. Called with the options that the command line and the scenario
// say. Errors: as Runner's.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "scheduler/shrink/shrink.hpp"
#include "work/desk.hpp"

namespace lockkeeper {

// The watcher of a search, and what becomes of what it finds.
struct Following {
    const Desk& desk;
    Watcher& watcher;
    bool shrinks = true;  // else findings are shown as they were found, without causes
    // Writes the trace and names it in the finding; null: none is written.
    std::function<void(const Scenario&, Finding&)> write = {};
};

// "breadth-first", "depth-first"
[[nodiscard]] std::string strategy_of(std::optional<Frontier> frontier);

// For the head: "symmetry, sleep sets; beyond 300,000 states faults left (auto; --reduction none
// uses none)".
[[nodiscard]] std::string reduction_plan(const Runner& runner, const ExploreOptions& options);

// Adds an exploration's findings and their runs, which it shortens as long as the limits allow.
void show_exploration(const Job& job, ExploreResult result, const ShrinkLimits& limits,
                      const Following& following, RunReport& report);
// UsageError: options that do not go together.
void explore_job(const Job& job, ExploreOptions options, const Following& following,
                 RunReport& report);
// `bytes_max`: what the process may take while it shrinks.
void fuzz_job(const Job& job, FuzzOptions options, std::uint64_t bytes_max,
              const Following& following, RunReport& report);
// One given run: of the schedule, or (null) the scenario's own order or schedule. `compares`: what
// it finds has the nearest run that passes beside it.
void run_job_once(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                  RunReport& report, bool compares = false);

// The same with the scenario's own, within a command's time. `describes`: with its words.
void run_own(const Job& job, bool describes, bool compares, const Deadline& deadline,
             RunReport& report);

}  // namespace lockkeeper
