// SPDX-License-Identifier: Apache-2.0

// P22 (phantom).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property phantom() {
    return {
        .number = 22,
        .name = "phantom",
        .definition =
            "At rest, the servers' record grants a lock to a live caller that does not believe to "
            "hold it: after an error, or a release.",
        .example = "An update is applied and reported as failed. The lock is held by nobody.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsGrants,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen, [](const KeyObservation& key) { return key.phantoms > 0; });
            },
    };
}

}  // namespace lockkeeper::properties
