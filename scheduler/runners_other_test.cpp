#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {

std::unique_ptr<Runner> runner(const single_counter::Options& options, const WorldConfig& world) {
    return std::make_unique<SystemRunner<CounterWorld>>(CounterWorld(CounterLock(options), world),
                                                        world, CounterLock::kFeatures);
}

std::unique_ptr<Runner> runner(const GraphSystem& system) {
    return std::make_unique<SystemRunner<GraphSystem>>(system, WorldConfig{}, kShowsCounters);
}

}  // namespace lockkeeper::testing_scheduler
