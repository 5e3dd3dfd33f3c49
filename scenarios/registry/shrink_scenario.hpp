// SPDX-License-Identifier: Apache-2.0

// The smaller scenario behind a violation: what `fuzz` finds in a scope too large to be explored
// often needs one caller and one crash of it, and is understood there. Called by add_finding.
//
// Greedy: a change to something smaller stays when an exploration of what is left finds the same
// property in no more steps than before. No change is undone, so the result is small, not
// smallest: what needs two changes at once is not found, nor what needs more than
// kSmallerStatesMax states or the kSmallerExplorationsMax explorations of the whole search. The
// same arguments give the same answer, unless somebody interrupts or a limit ends it.
#pragma once

#include <memory>
#include <optional>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kSmallerStatesMax = 20'000;  // of each exploration
inline constexpr int kSmallerExplorationsMax = 200;

struct SmallerScope {
    // Checks only the property, expects nothing, and is what parse_scenario reads from its text.
    Scenario scenario;
    std::unique_ptr<Runner> runner;
    FoundViolation violation;  // a shortest one
};

// `steps_max`: of the violation that is known. Nothing: no smaller scenario was found.
[[nodiscard]] std::optional<SmallerScope> shrink_scenario(const Registry& registry,
                                                          const Scenario& scenario,
                                                          const Property& property,
                                                          std::size_t steps_max,
                                                          const ShrinkLimits& limits = {});

}  // namespace lockkeeper
