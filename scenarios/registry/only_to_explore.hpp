// SPDX-License-Identifier: Apache-2.0

// A scenario without what was asked of it in another scope: for whoever writes it anew, smaller or
// with other callers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

[[nodiscard]] inline Scenario only_to_explore(Scenario scenario, std::vector<std::string> check) {
    scenario.about.clear();
    scenario.check = std::move(check);
    scenario.reach.clear();
    scenario.method = Method::kExplore;
    scenario.find.reset();
    scenario.order.clear();
    scenario.schedule.reset();
    scenario.limits = {};
    scenario.expect = {};
    return scenario;
}

}  // namespace lockkeeper
