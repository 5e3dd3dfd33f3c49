// SPDX-License-Identifier: Apache-2.0

// P23 (token-order).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property token_order() {
    return {
        .number = 23,
        .name = "token-order",
        .definition =
            "A grant's token is not larger than the token of an earlier grant of the key.",
        .example = "The token is the clock of a client, and clocks differ.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsTokens,
        .holds_not = shows<Breach::kTokenRepeated>,
    };
}

}  // namespace lockkeeper::properties
