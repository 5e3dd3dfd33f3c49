// SPDX-License-Identifier: Apache-2.0

// P3 (under-allocation).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property under_allocation() {
    return {
        .number = 3,
        .name = "under-allocation",
        .definition =
            "An acquire returns full although at every instant of the call fewer than C locks were "
            "held, granted, being released, or left by the dead and not yet freed.",
        .example =
            "Two of two buckets are free, one was held for a moment, and `full` comes back. What "
            "counts as held is [decision 2](../decisions/0002-what-is-a-reason-to-refuse.md).",
        .severity = Severity::kError,
        .triggers = kRefused,
        .needs = kHasCapacity,
        .monitor = Monitor::kOthersDuringCall,
        .holds_not = [](const Observation&,
                        const Event& event) { return event.possible_most < event.capacity; },
    };
}

}  // namespace lockkeeper::properties
