// SPDX-License-Identifier: Apache-2.0

// P1 (over-allocation).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property over_allocation() {
    return {
        .number = 1,
        .name = "over-allocation",
        .definition =
            "A lock is granted to a caller that sees C = max_per * buckets places while at least "
            "C locks of the key are held or granted already.",
        .example =
            "A sees one bucket of one place, B sees two. B holds, and A is granted a lock: one "
            "is held already, and A's capacity is one. The view of whoever is granted decides. "
            "The granting step counts, not the return ([decision "
            "1](../decisions/0001-a-grant-is-the-step-that-decides-it.md)).",
        .severity = Severity::kError,
        .triggers = kGranted,
        .needs = kHasCapacity,
        .holds_not = [](const Observation&,
                        const Event& event) { return event.holding_before >= event.capacity; },
    };
}

}  // namespace lockkeeper::properties
