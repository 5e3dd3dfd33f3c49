// SPDX-License-Identifier: Apache-2.0

// The one door through which app, reports and end-to-end tests run a System, whatever its type.
// `SystemRunner<S>` (system_runner.hpp) implements it for any System; the registry makes one for
// each scenario.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/erased_system.hpp"
#include "model/world_config.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/trace.hpp"
#include "scheduler/runs/walker.hpp"
#include "scheduler/shrink/shrink.hpp"

namespace lockkeeper {

class AnyRunMaker;  // scheduler/runs/made_run.hpp

class Runner {
  public:
    Runner() = default;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    virtual ~Runner() = default;

    [[nodiscard]] virtual const WorldConfig& world() const = 0;
    [[nodiscard]] virtual std::uint32_t features() const = 0;  // ObservedFeatures
    [[nodiscard]] virtual std::size_t state_bytes() const = 0;
    // The system itself, for what is compiled once for all systems (measure/).
    [[nodiscard]] virtual ErasedSystem erased() const = 0;
    // Random runs by a law, compiled with the system.
    [[nodiscard]] virtual MakeWalker walkers() const = 0;
    // Follows the options, `auto` included (auto_reduction.hpp).
    [[nodiscard]] ExploreResult explore(const ExploreOptions& options) const;
    // One search, with the reduction that the options name.
    [[nodiscard]] virtual ExploreResult explore_once(const ExploreOptions& options) const = 0;
    // Returns which of the reductions in the options it does.
    [[nodiscard]] virtual Reductions possible(const ExploreOptions& options) const = 0;
    [[nodiscard]] virtual FuzzResult fuzz(const FuzzOptions& options) const = 0;
    // Makes single runs of a fuzz() that others decide about. The options live as long.
    [[nodiscard]] virtual std::unique_ptr<AnyRunMaker> run_maker(
        const FuzzOptions& options) const = 0;
    [[nodiscard]] virtual Trace replay(const Schedule& schedule,
                                       const ReplayOptions& options) const = 0;
    // Each entry runs that caller's next whole operation, then what the background has to do.
    [[nodiscard]] virtual Trace run_in_order(const std::vector<std::size_t>& callers,
                                             const ReplayOptions& options) const = 0;
    // Returns what it has reached when a limit ends it.
    [[nodiscard]] virtual ShrinkResult shrink_within(const Schedule& schedule,
                                                     const Property& property,
                                                     const ShrinkLimits& limits) const = 0;
    // With the longest common beginning that flipping one decision of `schedule` allows. The
    // schedule breaks the property at its end.
    [[nodiscard]] virtual std::optional<PassingRun> nearest_passing(
        const Schedule& schedule, const Property& property, const ShrinkLimits& limits) const = 0;
    [[nodiscard]] ShrinkResult shrink(const Schedule& schedule, const Property& property) const {
        return shrink_within(schedule, property, {});
    }
};

}  // namespace lockkeeper
