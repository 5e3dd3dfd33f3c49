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

#include "model/schedule.hpp"
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

}  // namespace lockkeeper::databases
