// SPDX-License-Identifier: Apache-2.0

// P29 (unexplained-history).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property unexplained_history() {
    return {
        .number = 29,
        .name = "unexplained-history",
        .definition =
            "The calls and returns of outside code are those of no correct lock, in whatever order "
            "they took effect.",
        .example = "A renewal returns ok although another caller has had the lock since.",
        .kind = PropertyKind::kHistory,
        .severity = Severity::kError,
        .needs = kShowsHistory,
    };
}

}  // namespace lockkeeper::properties
