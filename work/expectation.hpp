// SPDX-License-Identifier: Apache-2.0

// A scenario's `expect` against what a run came to. Used by the verb `run`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The first difference, "/expect/states: expected 14, actual 15"; empty: everything is met.
// Goals of `reach` that were not reached count as well.
[[nodiscard]] std::string first_difference(const Scenario& scenario, const WorldConfig& world,
                                           const RunReport& report);

// Fills `met`, and `rates` where nothing else is wrong: then `check_rates` measures them. The
// verdict is undecided where only a limit leaves it open. Nothing is measured after an interrupt.
void judge_expectation(const Scenario& scenario, const WorldConfig& world,
                       const std::function<std::vector<RateCheck>()>& check_rates,
                       RunReport& report);

// The result of each call of the caller, in order: "3" or "acquired", "full", "ok", "died".
[[nodiscard]] std::vector<std::string> results_of(const Trace& trace, std::size_t caller,
                                                  bool returns_count);

}  // namespace lockkeeper
