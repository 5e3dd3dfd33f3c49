// Runners of the less common scopes: their searches are compiled once, for a System of any type, as
// the command's are.
#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {
namespace {

template <class Lock>
std::unique_ptr<Runner> erased_runner(const Lock& lock, const WorldConfig& world) {
    const World<Lock> system(lock, world);
    return std::make_unique<SystemRunner<ErasedSystem>>(ErasedSystem(system), world,
                                                        Lock::kFeatures, walkers_of(system));
}

}  // namespace

std::unique_ptr<Runner> small_runner(const CanalScope& scope) {
    return erased_runner(canal::CanalLock<canal::SmallSize>(scope.options), scope.world);
}

std::unique_ptr<Runner> runner(const single_counter::Options& options, const WorldConfig& world) {
    return erased_runner(CounterLock(options), world);
}

}  // namespace lockkeeper::testing_scheduler
