// SPDX-License-Identifier: Apache-2.0

// P13 (deadlock).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property deadlock() {
    return {
        .number = 13,
        .name = "deadlock",
        .definition = "Nobody can take a step (faults apart) and somebody is unfinished.",
        .example =
            "Everybody who is unfinished waits for a reply that nobody will send. "
            "Without P13 in `check` the verdict is `stuck`. Where virtual time has ended and "
            "something would happen later, it is `inconclusive`.",
        .kind = PropertyKind::kEventually,
        .severity = Severity::kFatal,
    };
}

}  // namespace lockkeeper::properties
