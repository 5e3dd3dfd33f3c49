// SPDX-License-Identifier: Apache-2.0

// P6 (wrong-count).
#pragma once

#include "properties/rule.hpp"

namespace lockkeeper::properties {

constexpr Property wrong_count() {
    return {
        .number = 6,
        .name = "wrong-count",
        .definition =
            "The count that acquire returns was the number of holders, the new one included, at no "
            "instant of the call, however unfinished calls are counted.",
        .example =
            "Acquire says \"number 3\" while at most one other could have held during the whole "
            "call. Any value between the fewest and the most others, plus one, is accepted "
            "([decision 10](../decisions/0010-a-returned-count-is-judged-by-an-interval.md)).",
        .severity = Severity::kNotice,
        .triggers = kAcquired,
        .needs = kShowsCount,
        .monitor = Monitor::kOthersDuringCall,
        .holds_not =
            [](const Observation&, const Event& event) {
                return event.count < static_cast<std::int64_t>(event.certain_least) + 1 ||
                       event.count > static_cast<std::int64_t>(event.possible_most) + 1;
            },
    };
}

}  // namespace lockkeeper::properties
