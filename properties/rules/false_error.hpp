// SPDX-License-Identifier: Apache-2.0

// P28 (false-error).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property false_error() {
    return {
        .number = 28,
        .name = "false-error",
        .definition =
            "A block ends with an error for its caller although what it did is committed: whoever "
            "tries again does it twice.",
        .example = "The acknowledgement of a COMMIT is lost.",
        .severity = Severity::kError,
        .triggers = kBreach,
        .needs = kShowsOutcomes,
        // A call that goes on, and asks what became of it, has not failed yet.
        .holds_not =
            [](const Observation&, const Event& event) {
                return event.is(Breach::kFalseError) && event.is(kFailed);
            },
    };
}

}  // namespace lockkeeper::properties
