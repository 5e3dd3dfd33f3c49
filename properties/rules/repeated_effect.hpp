// SPDX-License-Identifier: Apache-2.0

// P27 (repeated-effect).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property repeated_effect() {
    return {
        .number = 27,
        .name = "repeated-effect",
        .definition = "What is to be done once is done again: its effect had been taken before.",
        .example =
            "A scheduler picks a job and stalls. Another takes the job, does it and gives its "
            "lease back. Then the first sets the job to executing by its id.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kCountsEffects,
        .holds_not = shows<Breach::kRepeated>,
    };
}

}  // namespace lockkeeper::properties
