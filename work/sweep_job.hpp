// SPDX-License-Identifier: Apache-2.0

// A sweep before it runs, and beside a table that is stored. Used by the verb.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "scheduler/base/deadline.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The points that somebody asks for.
struct SweepQuestion {
    std::vector<std::pair<std::string, std::string>> where;  // measure/sweep_condition.hpp
    bool is_long = false;                                    // those that take minutes, too
    bool is_hours = false;                                   // only those that take hours
    std::optional<std::string> check;                        // a stored table
    std::optional<std::uint64_t> check_up_to;                // its rows with at most so many states
};

// Throws BadInput, and UsageError where no point is left. The table has none where `deadline` or an
// interrupt comes before all are made.
[[nodiscard]] SweptTable begin_sweep(const std::string& file, const SweepQuestion& question,
                                     const Deadline& deadline = Deadline());

// Passed, or violated by an unexpected finding, or inconclusive. For measurements: whether exact
// and sampled figures agree.
[[nodiscard]] Verdict sweep_verdict(const SweptTable& table);

// A sweep that has passed and differs from the table that the file has is violated.
void compare_with_stored(const std::string& file, const SweptTable& table, RunReport& report);

}  // namespace lockkeeper
