// SPDX-License-Identifier: Apache-2.0

// P11 (manager-death).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property manager_death() {
    return {
        .number = 11,
        .name = "manager-death",
        .definition = "The manager dies by the algorithm's own error, and all tables with it.",
        .example =
            "The manager releases for a dead caller with its own `max_per`, which is smaller "
            "than the callers'. No rule applies, and it dies with all tables. Afterwards no "
            "property of counters is judged.",
        .severity = Severity::kFatal,
        .triggers = kServersDied,
        .needs = kShowsManager,
        .holds_not = shows<kServersDied>,
    };
}

}  // namespace lockkeeper::properties
