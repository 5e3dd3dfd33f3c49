// SPDX-License-Identifier: Apache-2.0

// Certificates of a pass in one scope, made as work/check_job.cpp makes them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/proofs/check_closed_states.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper::testing_proofs {

struct Certified {
    proofs::ClosedStates closed;
    ExploreResult result;
};

[[nodiscard]] inline std::vector<const Property*> seen_in_states(
    std::vector<const Property*> properties) {
    std::erase_if(properties,
                  [](const Property* each) { return !proofs::is_seen_in_states(*each); });
    return properties;
}

// Whatever the verdict is.
[[nodiscard]] inline Certified certified(const Runner& runner,
                                         const std::vector<const Property*>& check) {
    Certified made;
    for (const Property* property : check) {
        made.closed.proved.emplace_back(property->name);
    }
    made.closed.widths = proofs::widths_of(runner.erased());
    ExploreOptions options;
    options.check = check;
    options.symmetry = false;
    options.counting = Counting::kOff;
    options.each_state = [&](std::string_view state) { made.closed.states.emplace_back(state); };
    made.result = runner.explore(options);
    std::sort(made.closed.states.begin(), made.closed.states.end());
    return made;
}

[[nodiscard]] inline std::string why_refused(const proofs::ClosedStates& closed,
                                             const Runner& runner,
                                             const std::vector<const Property*>& check) {
    proofs::ProofWatch watch;
    const auto found = proofs::check_closed_states(closed, runner.erased(), check, watch);
    return found.refused + found.limit;
}

}  // namespace lockkeeper::testing_proofs
