// SPDX-License-Identifier: Apache-2.0

// Working on the points of a sweep, by the workers of one process or by several ranks, where
// whoever is free gets the next points. Used by sweep_run.cpp; a point is worked on alone, so who
// does it changes nothing.
#pragma once

#include <exception>
#include <functional>
#include <span>

#include "measure/sweep_run.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/work_crew.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

struct PointWork {
    Scenario scenario;
    std::optional<SweepMeasuring> measuring;  // nothing: it is explored
};
struct MadePoint {
    SweptPoint point;
    std::exception_ptr error;  // instead
};

class SweepCrew {
  public:
    SweepCrew(const Registry& registry, const SweepLimits& limits)
        : registry_(registry), limits_(limits), rest_(limits.seconds_max), crew_(limits.jobs) {}

    // After an interrupt the rest is left as it is. `done`: called after each, by whoever did it.
    void work(std::span<const PointWork> points, std::span<MadePoint> made,
              const std::function<void()>& done);

  private:
    const Registry& registry_;
    const SweepLimits& limits_;
    Deadline rest_;  // of the time for all points
    WorkCrew crew_;
};

// On the first rank, with the others of limits.helpers.
void work_with_others(const Registry& registry, const SweepLimits& limits,
                      std::span<const PointWork> points, std::span<MadePoint> made,
                      const std::function<void()>& done);
// On the others.
void follow_sweep(const Registry& registry, FollowedTask& task);

}  // namespace lockkeeper
