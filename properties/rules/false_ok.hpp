// SPDX-License-Identifier: Apache-2.0

// P21 (false-ok).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property false_ok() {
    return {
        .number = 21,
        .name = "false-ok",
        .definition = "A release returns ok although the lock was not held throughout.",
        .example = "Release does not look whether the lock is still active.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsGrants,
        .holds_not = shows<Breach::kFalseOk>,
    };
}

}  // namespace lockkeeper::properties
