// SPDX-License-Identifier: Apache-2.0

// P25 (told-late).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property told_late() {
    return {
        .number = 25,
        .name = "told-late",
        .definition =
            "A caller believes to hold a lock for longer than told_within after the servers' "
            "record has lost its grant.",
        .example =
            "Somebody deletes the row of a lease. Its holder learns of it when it renews next, "
            "half of the TTL later.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kBoundsTelling,
        .holds_not = shows<Breach::kToldLate>,
    };
}

}  // namespace lockkeeper::properties
