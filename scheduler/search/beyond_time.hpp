// SPDX-License-Identifier: Apache-2.0

// A step of time that has no number (NextStop::offer, Agenda::offer_or_refuse). Searches go on
// without it and say at their end that time was cut off: what else they find is found.
#pragma once

#include "model/virtual_time.hpp"

namespace lockkeeper {

[[nodiscard]] constexpr bool is_beyond_time(Action action) {
    return action.kind == ActionKind::kTime && action.argument > kInstantMax;
}

// Returns the error of a step beyond time; empty: no such step is possible.
template <class S, class State>
[[nodiscard]] std::string why_time_ends(const S& system, State state) {
    ActionList actions;
    system.enabled(state, actions);
    for (const Action action : actions) {
        try {
            if (is_beyond_time(action)) {
                system.apply(state, action);
            }
        } catch (const LimitExceeded& limit) {
            return std::string("compiled size: ") + limit.what();
        }
    }
    return "";
}

}  // namespace lockkeeper
