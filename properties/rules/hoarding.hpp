// SPDX-License-Identifier: Apache-2.0

// P31 (hoarding).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property hoarding() {
    return {
        .number = 31,
        .name = "hoarding",
        .definition = "A caller is granted a lock and believes to hold four of one key then.",
        .example = "A worker takes every place of the pool, one after the other.",
        .severity = Severity::kError,
        .triggers = kAcquired,
        .needs = kHasCapacity,
        .needs_observation = true,
        .holds_not =
            [](const Observation& seen, const Event& event) {
                return seen.callers[event.caller].believed[event.key] > 3;
            },
    };
}

}  // namespace lockkeeper::properties
