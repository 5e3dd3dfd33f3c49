// P29 (inconsistent-count).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property inconsistent_count() {
    return {
        .number = 29,
        .name = "inconsistent-count",
        .definition =
            "At rest, the counters of a key count at least more units than they count at most.",
        .example = "A table is read twice, and a release comes between.",
        .kind = PropertyKind::kAtQuiescence,
        .severity = Severity::kError,
        .needs = kShowsCounters,
        .holds_not =
            [](const Observation& seen, const Event&) {
                return any_key(seen, [](const KeyObservation& key) {
                    return key.counted_least > key.counted_most;
                });
            },
    };
}

}  // namespace lockkeeper::properties
