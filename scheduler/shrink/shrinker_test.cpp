// SPDX-License-Identifier: Apache-2.0
#include "scheduler/shrink/shrinker.hpp"

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Property* const kLeak = find_property("leak");
const Property* const kDeath = find_property("caller-death");

void expect_violates_at_last(const Runner& system, const Schedule& schedule,
                             const Property* property) {
    ReplayOptions options;
    options.check = {property};
    const Trace trace = system.replay(schedule, options);
    EXPECT_THAT(trace.divergences, IsEmpty());
    ASSERT_FALSE(trace.steps.empty());
    EXPECT_THAT(trace.steps.back().violates, ElementsAre(property));
    for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
        EXPECT_THAT(trace.steps[i].violates, IsEmpty());
    }
}

TEST(Shrinker, ALeakOfTheCanalLockIsShrunkToAShortestAndItsCrashIsTheCause) {
    const CanalScope scope = leaking();
    const auto system = runner(scope);
    FuzzOptions fuzzing;
    fuzzing.check = {kLeak};
    fuzzing.strategy = "random";
    ExploreOptions exploring;
    exploring.check = {kLeak};
    const std::size_t shortest =
        system->explore(exploring).violations.at(0).schedule.actions.size();
    for (fuzzing.seed = 1; fuzzing.seed <= 10; ++fuzzing.seed) {
        const FuzzResult found = system->fuzz(fuzzing);
        ASSERT_EQ(found.violations.size(), 1U);
        const Schedule& schedule = found.violations[0].schedule;
        const ShrinkResult shrunk = system->shrink(schedule, *kLeak);
        expect_violates_at_last(*system, shrunk.schedule, kLeak);
        EXPECT_EQ(shrunk.schedule.actions.size(), shortest);
        EXPECT_EQ(shrunk.schedule.seed, schedule.seed);
        EXPECT_GT(shrunk.replays, 0U);
        ASSERT_THAT(shrunk.causes, ::testing::Not(IsEmpty()));
        bool crash_is_a_cause = false;
        for (const std::size_t cause : shrunk.causes) {
            ASSERT_LT(cause, shrunk.schedule.actions.size());
            crash_is_a_cause =
                crash_is_a_cause || shrunk.schedule.actions[cause].kind == ActionKind::kCrash;
        }
        EXPECT_TRUE(crash_is_a_cause);
    }
}

TEST(Shrinker, AScheduleThatBreaksNothingComesBackUnchanged) {
    const auto system = runner(leaking());
    const Schedule harmless{5, {step_of(0), step_of(0), step_of(1)}};
    const ShrinkResult result = system->shrink(harmless, *kLeak);
    EXPECT_EQ(result.schedule, harmless);
    EXPECT_THAT(result.causes, IsEmpty());
}

// No time at all: what was found is told, cut after the violation, and nothing is said about
// causes.
TEST(Shrinker, EndsAtItsDeadlineWithWhatItHas) {
    const auto system = runner(leaking());
    FuzzOptions fuzzing;
    fuzzing.check = {kLeak};
    fuzzing.strategy = "random";
    fuzzing.seed = 3;
    const Schedule schedule = system->fuzz(fuzzing).violations.at(0).schedule;
    const ShrinkResult cut = system->shrink_within(schedule, *kLeak, {Deadline(0)});
    expect_violates_at_last(*system, cut.schedule, kLeak);
    EXPECT_TRUE(cut.is_cut);
    EXPECT_THAT(cut.causes, IsEmpty());
    EXPECT_LE(cut.schedule.actions.size(), schedule.actions.size());
    EXPECT_FALSE(system->shrink_within(schedule, *kLeak, {Deadline(1000)}).is_cut);
}

// Six parties that count steps: far more states than the shrinker explores before the violation.
// It needs, in this order: one step of party 1, then kRun steps of party 0.
struct LongWay {
    static constexpr std::uint8_t kRun = 30;
    struct State {
        std::array<std::uint8_t, 6> steps;
        std::uint8_t after;  // steps of party 0 since the first one of party 1
        std::uint8_t crashed;
    };

    State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::uint8_t party = 0; party < state.steps.size(); ++party) {
            if (state.steps[party] < 60) {
                out.add({party, ActionKind::kStep, 0});
            }
        }
        if (state.crashed == 0) {
            out.add({5, ActionKind::kCrash, 0});
        }
    }
    Event apply(State& state, Action action) const {
        ++steps_taken;
        Event event;
        event.caller = action.actor;
        if (action.kind == ActionKind::kCrash) {
            state.crashed = 1;
            return event;
        }
        ++state.steps[action.actor];
        if (action.actor == 0 && state.steps[1] > 0 && ++state.after == kRun) {
            event.what = kCallerDied;
        }
        return event;
    }
    void observe(const State&, Observation& out) const { out = Observation{}; }
    bool quiescent(const State&) const { return false; }
    bool finished(const State& state) const { return state.steps[0] == 60; }
    std::string describe(const State&, Action action) const { return to_text(action); }
    std::string show(const State&) const { return {}; }

    mutable std::uint64_t steps_taken = 0;
};

std::vector<Action> random_failure(const LongWay& system, std::uint64_t seed) {
    Random random(seed);
    LongWay::State state = system.initial();
    ActionList possible;
    std::vector<Action> actions;
    while (state.after < LongWay::kRun) {
        system.enabled(state, possible);
        actions.push_back(possible[random.below(static_cast<std::uint32_t>(possible.size()))]);
        system.apply(state, actions.back());
    }
    return actions;
}

TEST(Shrinker, WhereExploringDoesNotReachDeltaDebuggingLeavesOnlyWhatIsNeeded) {
    const LongWay system;
    ExploreOptions options;
    options.check = {kDeath};
    options.states_max = kShrinkStatesMax;
    Explorer<LongWay> explorer(system, options);
    explorer.run();
    ASSERT_EQ(explorer.limit(), "states") << "the bound of exploring must not suffice";
    ASSERT_FALSE(explorer.progress().first.at(0).found);

    for (std::uint64_t seed = 1; seed <= (kIsSlowBuild ? 1U : 3U); ++seed) {
        const std::vector<Action> actions = random_failure(system, seed);
        const ShrinkResult result = Shrinker<LongWay>(system, *kDeath).shrink({seed, actions});
        std::vector<Action> needed(1 + LongWay::kRun, step_of(0));
        needed[0] = step_of(1);
        EXPECT_GT(actions.size(), needed.size());
        EXPECT_EQ(result.schedule.actions, needed);
        for (const std::size_t cause : result.causes) {
            EXPECT_LT(cause, needed.size());
        }
    }
}

TEST(Shrinker, ASearchForSomethingShorterEndsWhereTheProcessHasTheMemoryThatItMayHave) {
    const std::vector<char> held(ProcessLimit::kLeast + 1, 1);
    const std::vector<Action> actions = random_failure(LongWay{}, 1);
    const auto steps_within = [&](std::uint64_t process_bytes_max) {
        const LongWay system;
        Shrinker<LongWay> shrinker(system, *kDeath, {Deadline(), process_bytes_max});
        EXPECT_EQ(LongWay::kRun + 1U, shrinker.shortened(actions)->size());
        return system.steps_taken;
    };
    EXPECT_LT(steps_within(ProcessLimit::kLeast), kShrinkStatesMax);
    EXPECT_GT(steps_within(UINT64_MAX), kShrinkStatesMax);
}

// s0 and s1 in turn, as long as wanted, then a violation: nothing can be left out, but turns can
// be joined.
struct Countdown {
    static constexpr std::uint8_t kEach = 6;
    struct State {
        std::array<std::uint8_t, 8> steps;
    };

    State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::uint8_t party = 0; party < state.steps.size(); ++party) {
            if (state.steps[party] < kEach) {
                out.add({party, ActionKind::kStep, 0});
            }
        }
    }
    Event apply(State& state, Action action) const {
        Event event;
        event.caller = action.actor;
        ++state.steps[action.actor];
        if (finished(state)) {
            event.what = kCallerDied;
        }
        return event;
    }
    void observe(const State&, Observation& out) const { out = Observation{}; }
    bool quiescent(const State&) const { return false; }
    bool finished(const State& state) const {
        return std::all_of(state.steps.begin(), state.steps.end(),
                           [](std::uint8_t steps) { return steps == kEach; });
    }
    std::string describe(const State&, Action action) const { return to_text(action); }
    std::string show(const State&) const { return {}; }
};

TEST(Shrinker, WhatCannotBeLeftOutIsAtLeastJoinedIntoFewerTurns) {
    std::vector<Action> in_turn;
    for (std::size_t i = 0; i < 8 * Countdown::kEach; ++i) {
        in_turn.push_back(step_of(static_cast<std::uint8_t>(i % 8)));
    }
    const ShrinkResult result = Shrinker<Countdown>(Countdown{}, *kDeath).shrink({1, in_turn});
    EXPECT_EQ(result.schedule.actions.size(), in_turn.size());
    std::size_t switches = 0;
    for (std::size_t i = 1; i < in_turn.size(); ++i) {
        switches += result.schedule.actions[i] != result.schedule.actions[i - 1] ? 1U : 0U;
    }
    EXPECT_EQ(switches, 7U);
    // Whoever goes first, it happens all the same: no decision is needed.
    EXPECT_THAT(result.causes, IsEmpty());
}

// A steps, then B kills somebody. That A is interrupted is a decision: it could have gone on.
GraphSystem interrupted(bool matters) {
    GraphSystem graph;
    graph.nodes.resize(5);
    graph.nodes[0].edges = {{step_of(0), 1, 0}};
    graph.nodes[1].edges = {{step_of(0), 2, 0}, {step_of(1), 3, kCallerDied}};
    graph.nodes[2].edges = {{step_of(1), 4, matters ? 0U : kCallerDied}};
    graph.nodes[3].finished = true;
    graph.nodes[4].finished = true;
    return graph;
}

TEST(Shrinker, ADecisionIsACauseOnlyIfItsFlipRemovesTheViolation) {
    const Schedule schedule{1, {step_of(0), step_of(1)}};
    const ShrinkResult needed = runner(interrupted(true))->shrink(schedule, *kDeath);
    EXPECT_EQ(needed.schedule, schedule);
    EXPECT_THAT(needed.causes, ElementsAre(1U));
    const ShrinkResult not_needed = runner(interrupted(false))->shrink(schedule, *kDeath);
    EXPECT_EQ(not_needed.schedule, schedule);
    EXPECT_THAT(not_needed.causes, IsEmpty());
}

TEST(Shrinker, ADeadlockIsShrunkToo) {
    GraphSystem graph;
    graph.nodes.resize(5);
    graph.nodes[0].edges = {{step_of(0), 1, 0}, {step_of(1), 3, 0}};
    graph.nodes[1].edges = {{step_of(0), 2, 0}, {step_of(1), 3, 0}};
    graph.nodes[2].edges = {{step_of(1), 3, 0}, {step_of(0), 4, 0}};
    graph.nodes[4].finished = true;  // node 3: stuck
    const auto system = runner(graph);
    const Property* const deadlock = find_property("deadlock");
    const ShrinkResult result =
        system->shrink({1, {step_of(0), step_of(0), step_of(1)}}, *deadlock);
    EXPECT_THAT(result.schedule.actions, ElementsAre(step_of(1)));
    ReplayOptions options;
    options.check = {deadlock};
    EXPECT_THAT(system->replay(result.schedule, options).violated, ElementsAre(deadlock));
}

}  // namespace
}  // namespace lockkeeper
