// SPDX-License-Identifier: Apache-2.0

// Chooses the random schedules to drive. For transactional locks: plain random ones, because each
// costs real time. For leases: among many random runs of the model alone, those that show most new
// situations, each up to its last new one. A step shows a situation: which statement, its fault and
// its result, and how the row that it is about stands: whose it is, live, in its last instant,
// expired, or being inserted or deleted by somebody.
//
// Each situation that the runs of the model have met is driven once, where the number of schedules
// is enough.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/schedule.hpp"
#include "scheduler/base/random.hpp"
#include "validate/servers/compared_server.hpp"
#include "validate/servers/model_walk.hpp"

namespace lockkeeper::databases {

class RandomSchedules {
  public:
    RandomSchedules(const Subject& subject, const ComparisonLimits& limits)
        : subject_(subject), limits_(limits) {}

    [[nodiscard]] Schedule next();
    // A given schedule has been driven.
    void note(const Schedule& schedule);

  private:
    using Situations = std::set<std::string>;
    struct Drawn {
        Schedule schedule;
        Situations fresh;
        std::size_t useful = 0;  // steps up to the last that shows something new
    };

    [[nodiscard]] Schedule plain(std::uint64_t seed) const;
    [[nodiscard]] Drawn judged(Schedule schedule) const;

    const Subject& subject_;
    ComparisonLimits limits_;
    std::uint64_t drawn_ = 0;
    Situations seen_;
};

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
