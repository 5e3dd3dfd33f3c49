// SPDX-License-Identifier: Apache-2.0

// A run that chance goes on with.
#include <utility>

#include "model/check.hpp"
#include "scheduler/runs/simulator.hpp"
#include "scheduler/runs/strategy.hpp"
#include "serve/session.hpp"

namespace lockkeeper {
namespace {

constexpr std::string_view kRandom = "random";
constexpr std::string_view kRareFaults = "rare-faults";
constexpr std::string_view kRoundRobin = "round-robin";

template <class Strategy>
const Run& walk_by(Simulator<ErasedSystem>& simulator, const RandomWalk& choice) {
    Strategy strategy;
    strategy.begin(choice.seed);
    return simulator.run(strategy, choice.steps_max);
}

std::string_view end_word(const Run& run, const RandomWalk& choice) {
    return !run.broken.empty()                      ? "violation"
           : run.actions.size() >= choice.steps_max ? "steps"
           : run.cut                                ? "time is over"
                                                    : "end";
}

const Run& walk_on(Simulator<ErasedSystem>& simulator, const RandomWalk& choice) {
    if (choice.strategy == kRandom) {
        return walk_by<RandomStrategy>(simulator, choice);
    }
    if (choice.strategy == kRareFaults) {
        return walk_by<RareFaultsStrategy>(simulator, choice);
    }
    LOCKKEEPER_CHECK(choice.strategy == kRoundRobin);
    return walk_by<RoundRobinStrategy>(simulator, choice);
}

}  // namespace

const std::vector<std::string_view>& random_strategies() {
    static const std::vector<std::string_view> kNames{kRandom, kRareFaults, kRoundRobin};
    return kNames;
}

ServeJson random_view(const OpenedFile& file, const Schedule& schedule, const RandomWalk& choice) {
    const Walked here = walk(file, schedule.actions);
    const ErasedSystem system = file.system.beginning_in(here.state);
    Simulator<ErasedSystem> simulator(system, Judge(file.job.check), Judge());
    const Run& run = walk_on(simulator, choice);
    Schedule whole{choice.seed, schedule.actions};
    whole.actions.insert(whole.actions.end(), run.actions.begin(), run.actions.end());
    return {{"schedule", to_line(whole)},
            {"steps", run.actions.size()},
            {"ended_by", end_word(run, choice)}};
}

}  // namespace lockkeeper
