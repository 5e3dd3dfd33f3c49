#include "scheduler/scopes_test.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper::testing_scheduler {

std::unique_ptr<Runner> runner(const GraphSystem& system) {
    return std::make_unique<SystemRunner<GraphSystem>>(system, WorldConfig{}, kShowsCounters);
}

}  // namespace lockkeeper::testing_scheduler
