// SPDX-License-Identifier: Apache-2.0

// P9 (foreign-release).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property foreign_release() {
    return {
        .number = 9,
        .name = "foreign-release",
        .definition =
            "A release is accounted to a caller of which the manager has no reference (logged as "
            "unexpected_unlock).",
        .example =
            "A notification is lost, so the manager does not know whom it unlocks. Mostly it "
            "means that a unit was given back twice.",
        .severity = Severity::kWarning,
        .triggers = kForeignRelease,
        .holds_not = shows<kForeignRelease>,
    };
}

}  // namespace lockkeeper::properties
