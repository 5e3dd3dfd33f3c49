// SPDX-License-Identifier: Apache-2.0

// P2 (leak).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property leak() {
    return {
        .number = 2,
        .name = "leak",
        .definition =
            "At rest, the counters of a key count more units, cap marks apart, than there are "
            "holders: capacity that nobody holds and nobody can have.",
        .example =
            "A caller takes its unit and dies before it tells the manager. The counter says 1, "
            "nobody holds, and nobody will give it back. Counted and held are compared at rest; "
            "a later forced decrement that makes up for it is not looked at "
            "([limits](../understanding/limits.md#properties)).",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kFatal,
        .needs = kShowsCounters,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen, [](const KeyObservation& key) {
                    return key.counted_least > key.believed;
                });
            },
    };
}

}  // namespace lockkeeper::properties
