// SPDX-License-Identifier: Apache-2.0

// Exploring the points of a sweep, each completely, or measuring them.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "measure/measured_point.hpp"
#include "measure/sweep.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/work_crew.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

class Registry;

struct SweepLimits {
    unsigned jobs = 1;  // points that a rank works on at a time; never changes a result
    Helpers helpers;    // other ranks; never change a result
    std::uint64_t states_max = UINT64_MAX;  // of one point
    double seconds_max = 1e9;               // of all together
    std::uint64_t bytes_max = UINT64_MAX;   // of all together of a rank
    std::function<void(std::uint64_t done, double seconds)> progress = {};
};

// A shortest violation of each property; the property is null where nobody can go on.
struct SweptViolation {
    const Property* property = nullptr;
    std::uint64_t steps = 0;
};
struct SweptPoint {
    std::size_t callers = 0;
    std::uint64_t states = 0;
    bool complete = false;
    std::vector<SweptViolation> violations;  // by the properties' names
    std::optional<MeasuredPoint> measured;   // then there are no violations
    std::string limit;                       // what ended it, where it is not complete
};

// "ended by limit: memory", of one that is not complete.
[[nodiscard]] inline std::string what_ended(const SweptPoint& point) {
    return point.limit.empty() ? "not begun" : "ended by limit: " + point.limit;
}

// Changes a scenario by a name that --set and --sweep know.
using VaryScenario = std::function<void(const std::string& name, double value, Scenario&)>;

// The scenario of a point; an error names the point.
[[nodiscard]] std::variant<Scenario, InputError> scenario_of(const Sweep& sweep,
                                                             const SweepPoint& point,
                                                             const VaryScenario& vary);

// In the order of the points. After an interrupt, or the time, the rest is not complete. All points
// are read before work on the first begins.
[[nodiscard]] std::variant<std::vector<SweptPoint>, InputError> run_sweep(
    const Registry& registry, const Sweep& sweep, const std::vector<SweepPoint>& points,
    const SweepLimits& limits, const VaryScenario& vary);

// Whether the sweep says that such points violate this.
[[nodiscard]] bool is_expected(const Sweep& sweep, const SweepPoint& point,
                               const SweptViolation& violation);

// Working on the points of a sweep, by the workers of one process or by several ranks, where
// whoever is free gets the next points. A point is worked on alone, so who
// does it changes nothing.

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

    // After an interrupt, and when the time is over, the rest is not begun. `done`: called after
    // each, by whoever did it.
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
