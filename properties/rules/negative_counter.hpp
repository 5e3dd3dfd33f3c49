// SPDX-License-Identifier: Apache-2.0

// P5 (negative-counter).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property negative_counter() {
    return {
        .number = 5,
        .name = "negative-counter",
        .definition = "At rest, a counter is below zero.",
        .example =
            "A releasing caller dies between taking an empty bucket to -1 and putting it back. "
            "The next acquire of that bucket counts 0. During a release -1 is normal.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsCounters | kHasCapacity,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen,
                               [](const KeyObservation& key) { return key.lowest_counter() < 0; });
            },
    };
}

}  // namespace lockkeeper::properties
