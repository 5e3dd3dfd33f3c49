// SPDX-License-Identifier: Apache-2.0

// Relative time in a state of a World (Traits::relative_time). Part of World.
#pragma once

#include "model/world_state.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldRelativeTime {
    using State = typename WorldState<I>::State;
    using Slot = typename WorldState<I>::Slot;

  public:
    explicit WorldRelativeTime(const WorldState<I>& world) : world_(world) {}

    [[nodiscard]] bool exists() const { return world_.time_bounds().exist(); }
    void forget_the_rest([[maybe_unused]] State& state) const {
        if constexpr (kTraitsOf<I>.relative_time) {
            const I& lock = world_.implementation();
            auto times = WorldState<I>::times_of(state.shared, world_.time_bounds());
            lock.tell_times(state.shared, times);
            for (std::size_t caller = 0; caller < world_.callers_count(); ++caller) {
                Slot& slot = state.slots[caller];
                lock.tell_times(slot.record, slot.status == WorldState<I>::Status::kFinished,
                                times);
                if (slot.status == WorldState<I>::Status::kCalling) {
                    lock.tell_times(slot.call, world_.scripted(caller, slot.pc).key, times);
                }
            }
            times.rename();
        }
    }

  private:
    const WorldState<I>& world_;
};

}  // namespace lockkeeper
