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
        // In the step that ends the block, or in the one that commits what an ended block has left.
        .holds_not = [](const Observation&,
                        const Event& event) { return event.is(Breach::kFalseError); },
    };
}

}  // namespace lockkeeper::properties
