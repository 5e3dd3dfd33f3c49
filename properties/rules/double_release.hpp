// SPDX-License-Identifier: Apache-2.0

// P4 (double-release).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property double_release() {
    return {
        .number = 4,
        .name = "double-release",
        .definition =
            "At rest, fewer of a key's places are taken than its holders have: there is room for "
            "a grant too many.",
        .example =
            "A caller gives its unit back and dies before the manager has handled its `unlock`. "
            "The manager releases for it once more, and frees somebody else's unit.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsCounters | kHasCapacity,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen, [](const KeyObservation& key) {
                    return key.counted_most < key.believed;
                });
            },
    };
}

}  // namespace lockkeeper::properties
