// SPDX-License-Identifier: Apache-2.0

// P30 (long-mailbox).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property long_mailbox() {
    return {
        .number = 30,
        .name = "long-mailbox",
        .definition =
            "More than waiting_at_most messages of callers have been sent to the servers and wait "
            "to be handled.",
        .example =
            "Callers that release without waiting for an answer send faster than the manager "
            "handles: its mailbox grows until the node dies.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kBoundsWaiting,
        .holds_not = shows<Breach::kWaitsLong>,
    };
}

}  // namespace lockkeeper::properties
