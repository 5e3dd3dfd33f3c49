// SPDX-License-Identifier: Apache-2.0

// P18 (grant-overlap).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property grant_overlap() {
    return {
        .number = 18,
        .name = "grant-overlap",
        .definition =
            "The servers' record grants at one instant two locks that exclude each other.",
        .example =
            "A query asks whether some entry is old, and means all. A writer gets in beside a "
            "reader whose entry is fresh.",
        .severity = Severity::kFatal,
        .triggers = kGranted,
        .needs = kShowsGrants,
        .needs_observation = true,
        .holds_not = [](const Observation& seen, const Event&) { return seen.grants_overlap; },
    };
}

}  // namespace lockkeeper::properties
