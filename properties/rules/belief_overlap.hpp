// SPDX-License-Identifier: Apache-2.0

// P17 (belief-overlap).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property belief_overlap() {
    return {
        .number = 17,
        .name = "belief-overlap",
        .definition =
            "An acquire returns with a lock while another caller believes to hold what this lock "
            "excludes.",
        .example = "A lock expires and is taken over. The old holder is never told, and goes on.",
        .severity = Severity::kError,
        .triggers = kOverlap,
        .needs = kShowsGrants,
        .holds_not = shows<kOverlap>,
    };
}

}  // namespace lockkeeper::properties
