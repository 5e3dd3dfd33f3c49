// SPDX-License-Identifier: Apache-2.0

// P12 (poisoned-key).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property poisoned_key() {
    return {
        .number = 12,
        .name = "poisoned-key",
        .definition = "At rest, a key is in a state in which every release of it fails, for ever.",
        .example =
            "A caller dies between creating bucket 1 and registering it. The bucket exists, so "
            "nobody registers it again, and each release fails when it reads `highest`.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kFatal,
        .needs = kShowsCounters | kHasCapacity,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen, [](const KeyObservation& key) { return !key.releasable; });
            },
    };
}

}  // namespace lockkeeper::properties
