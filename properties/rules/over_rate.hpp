// SPDX-License-Identifier: Apache-2.0

// P31 (over-rate).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property over_rate() {
    return {
        .number = 31,
        .name = "over-rate",
        .definition =
            "More grants than the rate limit's burst certainly fall into one window of its length.",
        .example =
            "A limiter reads its log, finds room, and adds to it with a second request. Two "
            "callers find the same room.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kBoundsRate,
        .holds_not = shows<Breach::kOverRate>,
    };
}

}  // namespace lockkeeper::properties
