// SPDX-License-Identifier: Apache-2.0

// The reductions of an exploration, for people and in JSON: those planned and those used.
#pragma once

#include <string>
#include <vector>

#include "scheduler/auto_reduction.hpp"

namespace lockkeeper {

// For the head: "symmetry, sleep sets; beyond 300,000 states faults left (auto; --reduction none
// uses none)".
[[nodiscard]] std::string reduction_plan_text(const Runner& runner, const ExploreOptions& options);

// The reductions that were used: "symmetry", "sleep-sets", and the words of --reduction.
[[nodiscard]] std::vector<std::string> reductions_used(const ExploreResult& result);

}  // namespace lockkeeper
