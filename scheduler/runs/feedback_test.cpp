// SPDX-License-Identifier: Apache-2.0

// Strategy `feedback`: what it remembers, and that it finds what is there.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "scheduler/random_scopes_test.hpp"
#include "scheduler/runs/feedback_simulator.hpp"
#include "scheduler/runs/swarm_strategy.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

// States 1, 2, 3 and 4; the keys of steps say from where and to where. From 1 lead two.
RunSteps run_over(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& steps,
                  std::uint64_t last) {
    RunSteps run;
    run.keys = {12, 13, 24, 34};
    for (const auto& [from, to] : steps) {
        const auto first = static_cast<std::uint32_t>(from == 1 ? 0 : from);
        run.taken.push_back({{from, first, from == 1 ? 2U : 1U}, from * 10 + to});
    }
    run.ends = last != 0;
    run.last_state = last;
    return run;
}

TEST(SeenSteps, AStateIsUsedUpWhenEveryStepFromItIs) {
    SeenSteps seen;
    seen.add(run_over({{1, 2}, {2, 4}}, 4));
    EXPECT_TRUE(seen.is_used_up(4));
    EXPECT_TRUE(seen.is_used_up(24));
    EXPECT_TRUE(seen.is_used_up(2));
    EXPECT_TRUE(seen.is_used_up(12));
    EXPECT_FALSE(seen.is_used_up(1)) << "it has another step";
    seen.add(run_over({{1, 2}, {2, 4}}, 4));
    EXPECT_FALSE(seen.is_used_up(1)) << "the same step twice is one";
    EXPECT_EQ(seen.times(12), 2U);
    seen.add(run_over({{1, 3}, {3, 4}}, 4));
    EXPECT_TRUE(seen.is_used_up(1));
}

TEST(SeenSteps, ARunThatWasCutUsesNothingUp) {
    SeenSteps seen;
    seen.add(run_over({{1, 2}, {2, 4}}, 0));
    EXPECT_EQ(seen.times(24), 1U);
    for (const std::uint64_t key : {1U, 2U, 4U, 12U, 24U}) {
        EXPECT_FALSE(seen.is_used_up(key)) << key;
    }
}

TEST(SeenSteps, AStepThatBreaksAPropertyIsUsedUpAndTheStateBehindItIsNot) {
    SeenSteps seen;
    RunSteps run = run_over({{1, 2}, {2, 4}}, 0);
    run.ends = true;
    seen.add(run);
    EXPECT_TRUE(seen.is_used_up(24));
    EXPECT_FALSE(seen.is_used_up(4)) << "others may get there unharmed";
}

TEST(SeenSteps, AStepThatARunPassedOverIsUsedUpWithoutBeingTaken) {
    SeenSteps seen;
    RunSteps run = run_over({{1, 3}, {3, 4}}, 4);
    run.used_up = {{{1, 0, 2}, 12}};
    seen.add(run);
    EXPECT_TRUE(seen.is_used_up(1));
    EXPECT_EQ(seen.times(12), 0U);
}

struct Keys {
    std::set<std::uint64_t> states;
    std::set<std::uint64_t> steps;
};

// Collects the keys of all that can be reached. Nothing comes behind a deadlock.
Keys all_keys(const TinyWorld& system, const StepKeys<TinyWorld>& keys) {
    Keys all;
    all.states = {keys.of_state(system.initial())};
    std::vector<TinyWorld::State> queue{system.initial()};
    ActionList actions;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const TinyWorld::State from = queue[next];
        system.enabled(from, actions);
        if (only_faults(actions) && !system.finished(from)) {
            continue;
        }
        for (const Action action : actions) {
            all.steps.insert(keys.of_step(from, keys.of_state(from), action));
            TinyWorld::State after = from;
            system.apply(after, action);
            if (all.states.insert(keys.of_state(after)).second) {
                queue.push_back(after);
            }
        }
    }
    return all;
}

// Runs until nothing new is left.
Keys keys_of_runs(const TinyWorld& system, bool symmetry, std::uint64_t first,
                  std::size_t runs_max) {
    FeedbackSimulator<TinyWorld> simulator(system, symmetry, Judge(), Judge());
    SeenSteps seen;
    RunSteps of_run;
    Keys met;
    for (std::uint64_t run = 0; !seen.is_used_up(first) && run < runs_max; ++run) {
        SwarmStrategy strategy(SwarmStrategy::Weights::kDrawn);
        strategy.begin(run);
        simulator.run(strategy, seen, 1'000, of_run);
        seen.add(of_run);
        met.states.insert(of_run.last_state);
        for (const RunSteps::Step& step : of_run.taken) {
            met.states.insert(step.place.state);
            met.steps.insert(step.key);
        }
    }
    EXPECT_TRUE(seen.is_used_up(first));
    return met;
}

TEST(Feedback, RunsMeetAllThatThereIsBeforeTheyTakeItForUsedUp) {
    const CanalScope scope = with_crashes(warm(once_each({1, 1}, 1, 2), 1), 1);
    const TinyWorld system = tiny(scope);
    for (const bool symmetry : {false, true}) {
        const StepKeys<TinyWorld> keys(system, symmetry);
        const Keys all = all_keys(system, keys);
        const std::uint64_t first = keys.of_state(system.initial());
        const Keys met = keys_of_runs(system, symmetry, first, all.steps.size());
        EXPECT_EQ(met.states, all.states);
        if (!symmetry) {  // else a step may have several keys, and one is enough
            EXPECT_EQ(met.steps, all.steps);
        }
    }
}

TEST(SeenSteps, APlaceThatSaysNothingOfWhatWasPossibleIsNeverUsedUp) {
    SeenSteps seen;
    RunSteps run = run_over({{2, 4}}, 4);
    run.taken[0].place.count = 0;
    seen.add(run);
    EXPECT_TRUE(seen.is_used_up(24));
    EXPECT_FALSE(seen.is_used_up(2));
}

// Counts the steps of a run that led to a state where others were, although a new step led
// elsewhere. The run knows what the runs before it have seen.
std::size_t steps_in_vain(const TinyWorld& system, const std::vector<Action>& actions,
                          const SeenSteps& seen) {
    const StepKeys<TinyWorld> keys(system, false);
    std::set<std::uint64_t> taken;
    std::size_t in_vain = 0;
    TinyWorld::State at = system.initial();
    for (const Action action : actions) {
        bool leads_on = false;
        bool another_leads_on = false;
        ActionList possible;
        system.enabled(at, possible);
        for (const Action one : possible) {
            TinyWorld::State after = at;
            system.apply(after, one);
            const std::uint64_t step = keys.of_step(at, keys.of_state(at), one);
            const bool is_new = seen.times(step) == 0 && !taken.contains(step);
            const bool goes_on = is_new && seen.times(keys.of_state(after)) == 0;
            (one == action ? leads_on : another_leads_on) |= goes_on;
        }
        in_vain += !leads_on && another_leads_on ? 1U : 0U;
        taken.insert(keys.of_step(at, keys.of_state(at), action));
        system.apply(at, action);
    }
    return in_vain;
}

TEST(Feedback, ANewStepLeadsWhereNobodyWasIfOneOfThemDoes) {
    const TinyWorld system = tiny(with_crashes(warm(once_each({1, 1}, 1, 2), 1), 1));
    FeedbackSimulator<TinyWorld> simulator(system, false, Judge(), Judge());
    SeenSteps seen;
    RunSteps of_run;
    for (std::uint64_t run = 0; run < 20; ++run) {
        SwarmStrategy strategy(SwarmStrategy::Weights::kDrawn);
        strategy.begin(run);
        const auto& made = simulator.run(strategy, seen, 1'000, of_run);
        EXPECT_EQ(steps_in_vain(system, made.actions, seen), 0U) << run;
        seen.add(of_run);
    }
}

TEST(Feedback, OfALongRunOthersAreToldItsBeginning) {
    CanalScope scope = once_each({1, 1}, 1, 2);
    for (CallerConfig& caller : scope.world.callers) {
        caller.repeats_forever = true;
    }
    const TinyWorld system = tiny(scope);
    FeedbackSimulator<TinyWorld> simulator(system, false, Judge(), Judge());
    const std::uint64_t long_run = RunSteps::kStepsMost + 1'000;
    RunSteps told;
    SwarmStrategy strategy(SwarmStrategy::Weights::kDrawn);
    strategy.begin(1);
    EXPECT_EQ(simulator.run(strategy, {}, long_run, told).actions.size(), long_run);
    EXPECT_EQ(told.taken.size(), RunSteps::kStepsMost);
    EXPECT_FALSE(told.ends);
}

// `feedback` finds what properties say of single steps and states exactly where it is. But a run
// ends where only a crash or a resize could go on and somebody is unfinished.
RC_GTEST_PROP(FeedbackAndExplore, FindTheSameInASmallScope, ()) {
    const CanalScope scope =
        small_enough(random_scope({3, 2, false, true}), kIsSlowBuild ? 60 : 200);
    RC_LOG() << to_text(scope);
    const auto system = runner(scope);
    const ExploreResult explored = system->explore(asking_all(scope));
    RC_ASSERT(explored.complete);
    const std::set<std::string> broken = names(explored.violations);
    RC_CLASSIFY(!broken.empty(), "broken");
    for (const Property* property : properties_for(scope.world)) {
        if (property->kind == PropertyKind::kEventually && property->name != "deadlock") {
            continue;
        }
        FuzzOptions options;
        options.check = {property};
        options.strategy = "feedback";
        options.seed = *rc::gen::arbitrary<std::uint64_t>();
        const bool is_broken = broken.contains(std::string(property->name));
        // Where nothing is to be found all are made.
        options.schedules_max = is_broken ? 2'000 : testing_model::is_short_run() ? 50 : 200;
        const FuzzResult fuzzed = system->fuzz(options);
        RC_LOG() << property->name << "\n";
        RC_ASSERT(is_broken || fuzzed.violations.empty());
        RC_ASSERT(!is_broken || !fuzzed.violations.empty() || broken.contains("deadlock"));
    }
}

TEST(Feedback, ARightLockPassesAndAWrongOneIsFoundInTheFirstRuns) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        FuzzOptions options;
        options.strategy = "feedback";
        options.seed = seed;
        options.schedules_max = 1'000;
        options.check = {find_property("over-allocation")};
        const CanalScope right = warm(once_each({1, 1}, 2, 2), 1);
        const FuzzResult passed = runner(right)->fuzz(options);
        EXPECT_TRUE(std::holds_alternative<Passed>(passed.verdict));
        EXPECT_EQ(passed.schedules, 1'000U) << "also when nothing is new";
        const FuzzResult wrong = runner(misused())->fuzz(options);
        EXPECT_EQ(names(wrong.violations), (std::set<std::string>{"over-allocation"}));
        EXPECT_LE(wrong.schedules, 40U);
    }
}

std::vector<std::uint32_t> shares(SwarmStrategy::Weights weights, std::uint64_t seed) {
    ActionList actions;
    actions.add(step_of(0));
    actions.add(step_of(1));
    actions.add({0, ActionKind::kCrash, 0});
    actions.add({0, ActionKind::kFault, 7});
    SwarmStrategy strategy(weights);
    strategy.begin(seed);
    std::vector<std::uint32_t> drawn(actions.size());
    for (int i = 0; i < 8'000; ++i) {
        ++drawn[strategy.choose(actions)];
    }
    return drawn;
}

TEST(SwarmStrategy, FaultsAreThreeTimesAsLikelyWhereNothingIsDrawn) {
    const auto drawn = shares(SwarmStrategy::Weights::kManyFaults, 1);
    EXPECT_NEAR(drawn[0], 1'000, 120);
    EXPECT_NEAR(drawn[1], 1'000, 120);
    EXPECT_NEAR(drawn[2], 3'000, 200);
    EXPECT_NEAR(drawn[3], 3'000, 200);
}

TEST(SwarmStrategy, RunsDifferInWhoIsFastAndInWhichFaultsHappen) {
    bool is_first_faster = false;
    bool is_second_faster = false;
    std::set<std::pair<bool, bool>> seldom;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto drawn = shares(SwarmStrategy::Weights::kDrawn, seed);
        EXPECT_GT(drawn[0], 0U);
        EXPECT_GT(drawn[1], 0U);
        is_first_faster = is_first_faster || drawn[0] > 8 * drawn[1];
        is_second_faster = is_second_faster || drawn[1] > 8 * drawn[0];
        seldom.emplace(drawn[2] * 3 < drawn[3], drawn[3] * 3 < drawn[2]);
    }
    EXPECT_TRUE(is_first_faster && is_second_faster);
    EXPECT_EQ(seldom.size(), 3U) << "one of the kinds is switched off, or the other, or neither";
}

}  // namespace
}  // namespace lockkeeper
