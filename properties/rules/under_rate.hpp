// SPDX-License-Identifier: Apache-2.0

// P32 (under-rate).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property under_rate() {
    return {
        .number = 32,
        .name = "under-rate",
        .definition =
            "An acquire is refused although throughout the call fewer grants than the rate limit's "
            "at_least can have fallen into the last window.",
        .example =
            "A caller dies between INCR and EXPIRE. The counter never ends, and everybody is "
            "refused for ever.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kBoundsRate,
        .holds_not = shows<Breach::kUnderRate>,
    };
}

}  // namespace lockkeeper::properties
