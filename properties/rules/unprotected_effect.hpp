// SPDX-License-Identifier: Apache-2.0

// P19 (unprotected-effect).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property unprotected_effect() {
    return {
        .number = 19,
        .name = "unprotected-effect",
        .definition = "The protected resource takes an effect of a caller whose grant is over.",
        .example = "A holder stops for a while, another takes the lock over, and the first writes.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsEffects,
        .holds_not = shows<Breach::kUnprotected>,
    };
}

}  // namespace lockkeeper::properties
