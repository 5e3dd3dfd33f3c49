// SPDX-License-Identifier: Apache-2.0

// P31 (second-hold).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property second_hold() {
    return {
        .number = 31,
        .name = "second-hold",
        .definition = "A caller is granted a lock of a key of which it holds one already.",
        .example = "A caller takes both permits of two.",
        .severity = Severity::kNotice,
        .triggers = kAcquired,
        .needs_observation = true,
        .holds_not =
            [](const Observation& seen, const Event& event) {
                return event.caller < seen.callers_count &&
                       seen.callers[event.caller].believed[event.key] > 1;
            },
    };
}

}  // namespace lockkeeper::properties
