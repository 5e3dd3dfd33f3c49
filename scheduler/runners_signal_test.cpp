// SPDX-License-Identifier: Apache-2.0

// Reductions are for Systems that bring their own searches.
#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {

SignalWorld with_signals(const CanalScope& scope) {
    return SignalWorld(canal::CanalLock<SignalSize>(scope.options), scope.world);
}

std::unique_ptr<Runner> signal_runner(const CanalScope& scope) {
    return std::make_unique<SystemRunner<SignalWorld>>(with_signals(scope), scope.world,
                                                       canal::CanalLock<SignalSize>::kFeatures);
}

}  // namespace lockkeeper::testing_scheduler
