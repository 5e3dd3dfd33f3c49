// SPDX-License-Identifier: Apache-2.0

// Runs of learned steps are the runs of the simulator that takes every step.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/runs/learned_simulator.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

constexpr int kScopesOfLearnedRuns = kIsSlowBuild ? 1 : 5;
constexpr std::uint64_t kSeedsOfScope = kIsSlowBuild ? 20 : 60;
constexpr std::uint64_t kStepsOfRun = 300;

// Both simulators go on from run to run, so that what was learned in one is used in the next.
template <class Strategy>
void expect_the_same_runs(const CanalScope& scope) {
    const TinyWorld world = tiny(scope);
    RC_PRE(LearnedSimulator<TinyWorld>::can(world));
    const Judge judge(properties_for(scope.world));
    const Judge asked(goals());
    Simulator<TinyWorld> taken(world, judge, asked);
    LearnedSimulator<TinyWorld> learned(world, judge, asked);
    Strategy strategy;
    for (std::uint64_t seed = 1; seed <= kSeedsOfScope; ++seed) {
        strategy.begin(seed);
        const Run& expected = taken.run(strategy, kStepsOfRun);
        strategy.begin(seed);
        const Run* run = learned.run(strategy, kStepsOfRun);
        RC_ASSERT(run != nullptr);
        RC_ASSERT(run->actions == expected.actions);
        RC_ASSERT(run->broken == expected.broken);
        RC_ASSERT(run->reached == expected.reached);
        RC_ASSERT(run->cut == expected.cut);
        RC_ASSERT(run->deadlocked == expected.deadlocked);
        const auto& state = learned.state();
        RC_ASSERT(std::memcmp(&state, &taken.state(), sizeof(state)) == 0);
    }
}

CanalScope scope_of_learned_runs() {
    const bool cyclic = *rc::gen::arbitrary<bool>();
    return random_scope({4, 4, cyclic, false, false});
}

RC_GTEST_PROP(LearnedSimulator, MakesTheRunsOfTheSimulatorWithRandomChoices, ()) {
    for (int i = 0; i < kScopesOfLearnedRuns; ++i) {
        expect_the_same_runs<RandomStrategy>(scope_of_learned_runs());
    }
}
RC_GTEST_PROP(LearnedSimulator, MakesTheRunsOfTheSimulatorWithRareFaults, ()) {
    for (int i = 0; i < kScopesOfLearnedRuns; ++i) {
        expect_the_same_runs<RareFaultsStrategy>(scope_of_learned_runs());
    }
}

RC_GTEST_PROP(ActionLane, FindsTheActionThatCountingFinds, ()) {
    std::vector<std::uint32_t> counts;
    ActionLane lane;
    for (std::size_t slot = 0; slot < ActionLane::kSlotsMost; ++slot) {
        const auto count = *rc::gen::inRange<std::uint32_t>(0, ActionLane::kCountMost + 1);
        const auto less = *rc::gen::inRange<std::uint32_t>(0, count + 1);
        lane.add(slot, static_cast<std::int8_t>(count));
        lane.add(slot, static_cast<std::int8_t>(-static_cast<int>(less)));
        counts.push_back(count - less);
    }
    std::uint32_t index = 0;
    for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
        RC_ASSERT(lane.of(slot) == counts[slot]);
        for (std::uint32_t number = 0; number < counts[slot]; ++number, ++index) {
            RC_ASSERT(lane.at(index).slot == slot);
            RC_ASSERT(lane.at(index).number == number);
        }
    }
    RC_ASSERT(lane.total() == index);
}

TEST(LearnedSimulator, GivesUpWhereTheModelMeetsALimitOfItsSize) {
    // A counter of the tiny size ends at 127.
    const CanalScope scope =
        warm(CanalScope{{}, world_of({std::vector<Operation>(130, acquire(200, 1))})}, 1);
    const TinyWorld world = tiny(scope);
    LearnedSimulator<TinyWorld> learned(world, Judge(), Judge());
    RandomStrategy strategy;
    strategy.begin(1);
    EXPECT_EQ(learned.run(strategy, 1000), nullptr);
    EXPECT_EQ(learned.run(strategy, 1), nullptr) << "for good";
    Simulator<TinyWorld> taken(world, Judge(), Judge());
    strategy.begin(1);
    EXPECT_THROW(taken.run(strategy, 1000), LimitExceeded);
    FuzzOptions options;
    options.strategy = "random";
    options.schedules_max = 10;
    EXPECT_EQ(runner(scope)->fuzz(options).limit.rfind("compiled size: ", 0), 0U);
}

TEST(LearnedSimulator, IsNotForWhatFollowsTheOthers) {
    CanalScope scope = once_each({1, 2}, 1, 2);
    EXPECT_TRUE(LearnedSimulator<TinyWorld>::can(tiny(scope)));
    scope.world.watches_others = true;
    EXPECT_FALSE(LearnedSimulator<TinyWorld>::can(tiny(scope)));
}

}  // namespace
}  // namespace lockkeeper
