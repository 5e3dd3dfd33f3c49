// SPDX-License-Identifier: Apache-2.0

// P10 (caller-death).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property caller_death() {
    return {
        .number = 10,
        .name = "caller-death",
        .definition = "A caller dies by the algorithm's own error.",
        .example =
            "`register` finds no `highest` to add to, or a release reads a counter that no rule "
            "covers. A crash that the scenario allows is no such death.",
        .severity = Severity::kFatal,
        .triggers = kCallerDied,
        .holds_not = shows<kCallerDied>,
    };
}

}  // namespace lockkeeper::properties
