// A scenario's `expect` against what a run came to. Used by the verb `run`.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

// What is wrong first, as "/expect/states: expected 14, actual 15"; empty: everything is met.
// Goals of `reach` that were not reached count as well.
[[nodiscard]] std::string first_difference(const Scenario& scenario, const WorldConfig& world,
                                           const RunReport& report);

// What each call of the caller returned, in order: "3" or "acquired", "full", "ok", "died".
[[nodiscard]] std::vector<std::string> results_of(const Trace& trace, std::size_t caller,
                                                  bool returns_count);

}  // namespace lockkeeper
