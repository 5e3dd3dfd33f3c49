// SPDX-License-Identifier: Apache-2.0

// The changes that shrink_scenario tries one by one, each to something smaller. Nothing here knows
// whether the changed scenario is valid, or fails still.
//
// The order is fixed, the largest change of each kind comes first. Numbers of the system, the law
// and the keys stay as they are.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

using ScenarioChange = std::function<void(Scenario&)>;
// All changes of one kind that this scenario has; each is to be applied to that very scenario.
using ChangesOf = std::vector<ScenarioChange> (*)(const Scenario& scenario);

// Callers, fields of the table that shrink (crashes), resizes, the system's own faults, scripts,
// max_per, buckets.
[[nodiscard]] std::span<const ChangesOf> kinds_of_change();

}  // namespace lockkeeper
