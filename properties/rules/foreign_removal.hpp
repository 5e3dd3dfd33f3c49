// SPDX-License-Identifier: Apache-2.0

// P20 (foreign-removal).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property foreign_removal() {
    return {
        .number = 20,
        .name = "foreign-removal",
        .definition = "A release removes the valid record of another acquisition.",
        .example =
            "Two acquisitions in one millisecond have the same timestamp for a token. The "
            "release of one removes the other.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsGrants,
        .holds_not = shows<Breach::kForeignRemoval>,
    };
}

}  // namespace lockkeeper::properties
