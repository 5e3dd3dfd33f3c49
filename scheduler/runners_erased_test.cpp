// SPDX-License-Identifier: Apache-2.0

// Runners of the less common scopes, by the searches that the command has for them, too.
#include "scheduler/runs/system_walker.hpp"
#include "scheduler/scopes_test.hpp"

namespace lockkeeper::testing_scheduler {
namespace {

template <class Lock>
std::unique_ptr<Runner> erased_runner(const Lock& lock, const WorldConfig& world) {
    const World<Lock> system(lock, world);
    return make_erased_runner(ErasedSystem(system), walkers_of(system), world, Lock::kFeatures);
}

}  // namespace

std::unique_ptr<Runner> small_runner(const CanalScope& scope) {
    return erased_runner(canal::CanalLock<canal::SmallSize>(scope.options), scope.world);
}

std::unique_ptr<Runner> runner(const single_counter::Options& options, const WorldConfig& world) {
    return erased_runner(CounterLock(options), world);
}

std::unique_ptr<Runner> runner(const GraphSystem& system) {
    return runner_of(system, {}, kShowsCounters);
}

}  // namespace lockkeeper::testing_scheduler
