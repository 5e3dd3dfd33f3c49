// SPDX-License-Identifier: Apache-2.0

// P16 (release-order).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property release_order() {
    return {
        .number = 16,
        .name = "release-order",
        .definition =
            "Right to left: a unit is given back from a bucket while a bucket to its right counts "
            "one.",
        .example =
            "A release read `highest` and gives back from bucket 1, while bucket 2 has just been "
            "taken. The newest bucket may stay in use longer than necessary.",
        .severity = Severity::kNotice,
        .triggers = kGaveUnitBack,
        .needs = kShowsPlaces,
        .needs_observation = true,
        .holds_not =
            [](const Observation& seen, const Event& event) {
                const std::vector<std::int32_t>& in_use = seen.keys[event.key].counters;
                for (std::size_t i = event.place; i < in_use.size(); ++i) {
                    if (in_use[i] > 0) {
                        return true;
                    }
                }
                return false;
            },
    };
}

}  // namespace lockkeeper::properties
