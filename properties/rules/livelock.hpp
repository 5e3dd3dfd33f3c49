// SPDX-License-Identifier: Apache-2.0

// P14 (livelock).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property livelock() {
    return {
        .number = 14,
        .name = "livelock",
        .definition =
            "A fair cycle (no step of a party and no message of a sender stays possible and is "
            "never taken) in which a caller is inside one operation all the time; for a retried "
            "acquire, only where others never hold the capacity it asks for.",
        .example =
            "`unlock` subtracts the mark and `lock` puts it back, for ever. The trace ends in a "
            "cycle that leads back to the same state, byte by byte ([decision "
            "5](../decisions/0005-livelock-is-judged-without-symmetry.md)).",
        .kind = PropertyKind::kEventually,
        .severity = Severity::kFatal,
    };
}

}  // namespace lockkeeper::properties
