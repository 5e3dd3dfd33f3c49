// SPDX-License-Identifier: Apache-2.0

// P15 (acquire-order).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property acquire_order() {
    return {
        .number = 15,
        .name = "acquire-order",
        .definition =
            "Left to right: a unit is taken from a bucket while a bucket to its left has room.",
        .example =
            "A caller found bucket 1 full and takes bucket 2, although bucket 1 has become free "
            "meanwhile. The hole at the left lets smaller views in.",
        .severity = Severity::kNotice,
        .triggers = kTookUnit,
        .needs = kShowsPlaces,
        .needs_observation = true,
        .holds_not =
            [](const Observation& seen, const Event& event) {
                const std::vector<std::int32_t>& in_use = seen.keys[event.key].counters;
                for (std::size_t i = 0; i + 1 < event.place && i < in_use.size(); ++i) {
                    if (in_use[i] < static_cast<std::int32_t>(event.place_capacity)) {
                        return true;
                    }
                }
                return false;
            },
    };
}

}  // namespace lockkeeper::properties
