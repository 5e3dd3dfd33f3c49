// SPDX-License-Identifier: Apache-2.0

// P24 (stale-read).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property stale_read() {
    return {
        .number = 24,
        .name = "stale-read",
        .definition = "A read under the lock does not see what the holder before has committed.",
        .example = "The snapshot of a transaction was taken before it waited for the lock.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsData,
        .holds_not = shows<Breach::kStale>,
    };
}

}  // namespace lockkeeper::properties
