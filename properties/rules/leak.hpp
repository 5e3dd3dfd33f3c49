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
            "At rest, more of a key's places are taken than its holders have: capacity that nobody "
            "holds and nobody can have.",
        .example =
            "A caller takes its unit and dies before anybody knows of it. The counter says 1, "
            "nobody holds, and nobody will give it back. Counted and held are compared at rest; "
            "what makes up for it later is not looked at "
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
