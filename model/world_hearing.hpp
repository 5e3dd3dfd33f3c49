// SPDX-License-Identifier: Apache-2.0

// A step of nobody's of which everybody hears (Traits::by_record). A part of World.
#pragma once

#include <cstring>

#include "model/world_state.hpp"

namespace lockkeeper {

template <class Call>
[[nodiscard]] bool is_zero(const Call& call) {
    const Call zero{};
    return std::memcmp(&call, &zero, sizeof(call)) == 0;
}

// Tells each caller of it. `calls.lose(slot, caller, key)` follows for each who is told of a loss;
// the event names the first of them. A lock that is not by record is never asked.
template <Implementation I, class Calls>
void tell_everybody(const WorldState<I>& world, [[maybe_unused]] const Calls& calls,
                    typename WorldState<I>::State& state, [[maybe_unused]] Action action,
                    [[maybe_unused]] Event& event) {
    [[maybe_unused]] const I& lock = world.implementation();
    for (std::size_t caller = 0; caller < world.callers_count(); ++caller) {
        auto& slot = state.slots[caller];
        if constexpr (kHearsOnly<I>) {
            lock.hear(state.shared, slot.record);
        } else if constexpr (kHearsStep<I>) {
            const Heard heard = lock.hear(state.shared, slot.record, slot.call, action);
            LOCKKEEPER_CHECK(slot.status == WorldState<I>::Status::kCalling || is_zero(slot.call));
            for (std::size_t key = 0; heard.lost >> key != 0; ++key) {
                if ((heard.lost >> key & 1U) == 0 || slot.held[key] == 0) {
                    continue;
                }
                if (!event.is(kLost)) {
                    lose(event, caller, key);
                }
                calls.lose(slot, caller, key);
            }
        }
    }
}

}  // namespace lockkeeper
