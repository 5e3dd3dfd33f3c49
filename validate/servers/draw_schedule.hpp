// SPDX-License-Identifier: Apache-2.0

// One random schedule of a walk beside a server: uniform among what is possible, a fault in one of
// four cases.
#pragma once

#include <vector>

#include "model/schedule.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper::databases {

// `choices()`: what is possible. `may_take(action)`: whether it is meant. `take(action, actions)`
// appends what it makes of the action beside it; false: the schedule ends before it.
template <class Choices, class MayTake, class Take>
[[nodiscard]] Schedule draw_schedule(std::uint64_t seed, std::size_t steps_max, Choices choices,
                                     MayTake may_take, Take take) {
    Random random(seed);
    Schedule schedule{seed, {}};
    while (schedule.actions.size() < steps_max) {
        std::vector<Action> possible = choices();
        std::erase_if(possible, [&](Action action) {
            return (is_fault(action) && random.below(4) != 0) || !may_take(action);
        });
        if (possible.empty()) {
            break;
        }
        const Action action = possible[random.below(static_cast<std::uint32_t>(possible.size()))];
        if (!take(action, schedule.actions)) {
            break;
        }
        schedule.actions.push_back(action);
    }
    return schedule;
}

}  // namespace lockkeeper::databases
