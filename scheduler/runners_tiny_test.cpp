// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {

TinyWorld tiny(const CanalScope& scope) {
    return TinyWorld(canal::CanalLock<canal::TinySize>(scope.options), scope.world);
}

std::unique_ptr<Runner> runner(const CanalScope& scope) {
    if (scope.world.callers.size() > canal::TinySize::kCallers) {
        return small_runner(scope);
    }
    const auto uses_signals = [](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(),
                           [](const Operation& next) { return next.uses_signal(); });
    };
    if (std::any_of(scope.world.callers.begin(), scope.world.callers.end(), uses_signals)) {
        return signal_runner(scope);
    }
    return std::make_unique<SystemRunner<TinyWorld>>(tiny(scope), scope.world,
                                                     canal::CanalLock<canal::TinySize>::kFeatures);
}

}  // namespace lockkeeper::testing_scheduler
