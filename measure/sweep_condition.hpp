// SPDX-License-Identifier: Apache-2.0

// Which points of a sweep somebody asks for, by the names of axes and choices; and what an axis
// does that varies a parameter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measure/sweep.hpp"
#include "measure/sweep_run.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// `where`: of several axes all, of one axis any. UsageError (--where) for unknown names.
[[nodiscard]] SweepCondition condition_of(
    const Sweep& sweep, const std::vector<std::pair<std::string, std::string>>& where);

// The registry must outlive it.
[[nodiscard]] VaryScenario vary_by(const Registry& registry);

}  // namespace lockkeeper
