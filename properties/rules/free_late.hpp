// SPDX-License-Identifier: Apache-2.0

// P26 (free-late).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property free_late() {
    return {
        .number = 26,
        .name = "free-late",
        .definition =
            "What a dead caller left in the servers' record, or what it had sent has made there, "
            "keeps a key from being granted for longer than free_within.",
        .example = "A holder dies. Its row stands until it has expired and the reaper has come by.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kBoundsFreeing,
        .holds_not = shows<Breach::kFreeLate>,
    };
}

}  // namespace lockkeeper::properties
