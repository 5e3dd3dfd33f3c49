#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {

std::unique_ptr<Runner> small_runner(const CanalScope& scope) {
    using Lock = canal::CanalLock<canal::SmallSize>;
    return std::make_unique<SystemRunner<World<Lock>>>(
        World<Lock>(Lock(scope.options), scope.world), scope.world, Lock::kFeatures);
}

}  // namespace lockkeeper::testing_scheduler
