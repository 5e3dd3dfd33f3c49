// SPDX-License-Identifier: Apache-2.0

// Single runs and fuzzing: what is found is repeated, what is asked for is done.
#include "scheduler/runs/simulator.hpp"

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Property* const kOverAllocation = find_property("over-allocation");

FuzzOptions fuzzing(const std::string& strategy, std::uint64_t seed = 1) {
    FuzzOptions options;
    options.check = {kOverAllocation};
    options.strategy = strategy;
    options.seed = seed;
    options.schedules_max = 3'000;
    return options;
}

class EveryStrategyOfFuzz : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryStrategyOfFuzz, AFailingRunIsRecordedAndRepeatedStepByStep) {
    const auto system = runner(misused());
    const FuzzResult result = system->fuzz(fuzzing(GetParam()));
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_EQ(result.limit, "first violation");
    const Schedule& schedule = result.violations.front().schedule;
    const auto& violated = std::get<Violated>(result.verdict);
    EXPECT_EQ(violated.property, "over-allocation");
    EXPECT_EQ(violated.schedule, schedule);

    // Through its line, as a user would do it.
    const auto parsed = std::get<Schedule>(parse_schedule(to_line(schedule)));
    EXPECT_EQ(parsed, schedule);
    ReplayOptions options;
    options.check = {kOverAllocation};
    const Trace trace = system->replay(parsed, options);
    EXPECT_THAT(trace.divergences, IsEmpty());
    EXPECT_EQ(trace.schedule(schedule.seed), schedule);
    EXPECT_THAT(trace.violated, ElementsAre(kOverAllocation));
    EXPECT_THAT(trace.steps.back().violates, ElementsAre(kOverAllocation));
    const Trace again = system->replay(parsed, options);
    ASSERT_EQ(again.steps.size(), trace.steps.size());
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
        EXPECT_EQ(again.steps[i].text, trace.steps[i].text);
        EXPECT_EQ(again.steps[i].result, trace.steps[i].result);
        EXPECT_EQ(again.steps[i].state, trace.steps[i].state);
    }
    EXPECT_EQ(again.history, trace.history);
}

TEST_P(EveryStrategyOfFuzz, TheSameSeedGivesTheSameRunsAndAnotherSeedOthers) {
    const auto system = runner(misused());
    std::set<std::pair<std::vector<Action>, std::uint64_t>> found;  // and after how many runs
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const FuzzResult first = system->fuzz(fuzzing(GetParam(), seed));
        const FuzzResult second = system->fuzz(fuzzing(GetParam(), seed));
        ASSERT_EQ(first.violations.size(), 1U);
        EXPECT_EQ(first.violations[0].schedule, second.violations[0].schedule);
        EXPECT_EQ(first.schedules, second.schedules);
        EXPECT_EQ(first.steps, second.steps);
        EXPECT_EQ(first.found_by, second.found_by);
        found.emplace(first.violations[0].schedule.actions, first.schedules);
    }
    EXPECT_GT(found.size(), 1U);
}

TEST_P(EveryStrategyOfFuzz, NamesWhoFoundTheViolation) {
    const FuzzResult result = runner(misused())->fuzz(fuzzing(GetParam()));
    const std::string name = GetParam();
    ASSERT_EQ(result.found_by.size(), 1U);
    EXPECT_TRUE(result.found_by[0] == name || name == "portfolio") << result.found_by[0];
}

INSTANTIATE_TEST_SUITE_P(Strategies, EveryStrategyOfFuzz,
                         ::testing::Values("random", "rare-faults", "pct:1", "pct:2", "pct:3",
                                           "round-robin", "portfolio", "pos", "feedback"));

// The seed that stands in the schedule makes the run again, without its actions.
TEST(Simulator, TheRecordedSeedAloneRepeatsARandomRun) {
    const FuzzResult result = runner(misused())->fuzz(fuzzing("random"));
    ASSERT_EQ(result.violations.size(), 1U);
    const Schedule& schedule = result.violations[0].schedule;
    const TinyWorld world = tiny(misused());
    Simulator<TinyWorld> simulator(world, Judge({kOverAllocation}), Judge());
    RandomStrategy strategy;
    strategy.begin(schedule.seed);
    EXPECT_EQ(simulator.run(strategy, 10'000).actions, schedule.actions);
}

TEST(Simulator, EndsAtTheFirstViolationAtTheEndOrAfterItsSteps) {
    const TinyWorld world = tiny(misused());
    Simulator<TinyWorld> unasked(world, Judge(), Judge(goals()));
    RandomStrategy strategy;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        strategy.begin(seed);
        const auto& whole = unasked.run(strategy, 10'000);
        EXPECT_FALSE(whole.cut || whole.deadlocked);
        EXPECT_THAT(whole.broken, IsEmpty());
        ActionList left;
        world.enabled(unasked.state(), left);
        EXPECT_TRUE(left.empty());
        EXPECT_TRUE(world.finished(unasked.state()));

        strategy.begin(seed);
        const std::vector<Action> all = whole.actions;
        const auto& cut = unasked.run(strategy, all.size() - 1);
        EXPECT_TRUE(cut.cut);
        EXPECT_EQ(cut.actions, std::vector<Action>(all.begin(), all.end() - 1));
    }
}

TEST(Simulator, ADeadlockIsNoticedWithAndWithoutTheProperty) {
    GraphSystem graph;
    graph.nodes.resize(2);
    graph.nodes[0].edges = {{step_of(0), 1, 0}};
    RandomStrategy strategy;
    Simulator<GraphSystem> unasked(graph, Judge(), Judge());
    EXPECT_TRUE(unasked.run(strategy, 10).deadlocked);
    Simulator<GraphSystem> asked(graph, Judge({find_property("deadlock")}), Judge());
    EXPECT_THAT(asked.run(strategy, 10).broken, ElementsAre(0U));

    FuzzOptions options;
    const FuzzResult stuck = runner(graph)->fuzz(options);
    ASSERT_TRUE(std::holds_alternative<Stuck>(stuck.verdict));
    EXPECT_EQ(std::get<Stuck>(stuck.verdict).schedule.actions.size(), 1U);
    options.check = {find_property("deadlock")};
    EXPECT_TRUE(std::holds_alternative<Violated>(runner(graph)->fuzz(options).verdict));
}

CanalScope harmless() { return warm(once_each({1, 1}, 2, 2), 1); }

TEST(Fuzz, RunsAsManySchedulesAsAskedAndPasses) {
    FuzzOptions options = fuzzing("portfolio");
    options.schedules_max = 100;
    options.reach = goals();
    const FuzzResult result = runner(harmless())->fuzz(options);
    EXPECT_TRUE(std::holds_alternative<Passed>(result.verdict));
    EXPECT_EQ(result.limit, "schedules");
    EXPECT_EQ(result.schedules, 100U);
    EXPECT_EQ(result.cut_schedules, 0U);
    EXPECT_EQ(names(result.reached), (std::set<std::string>{"acquired", "released"}));
}

TEST(Fuzz, CutsLongSchedulesAndCountsThem) {
    FuzzOptions options = fuzzing("random");
    options.schedules_max = 10;
    options.steps_max = 5;
    const FuzzResult result = runner(harmless())->fuzz(options);
    EXPECT_EQ(result.schedules, 10U);
    EXPECT_EQ(result.cut_schedules, 10U);
    EXPECT_EQ(result.steps, 50U);
}

TEST(Fuzz, NoTimeAndAnInterruptEndItInconclusively) {
    FuzzOptions options = fuzzing("random");
    options.seconds_max = 0;
    const FuzzResult late = runner(harmless())->fuzz(options);
    EXPECT_EQ(late.limit, "time");
    EXPECT_EQ(std::get<Inconclusive>(late.verdict).limit, "time");
    EXPECT_LT(late.schedules, options.schedules_max);

    options.seconds_max = 1e18;
    request_interrupt();
    const FuzzResult interrupted = runner(harmless())->fuzz(options);
    clear_interrupt();
    EXPECT_EQ(interrupted.limit, "interrupted");
    EXPECT_TRUE(std::holds_alternative<Inconclusive>(interrupted.verdict));
    EXPECT_EQ(interrupted.schedules, late.schedules);
}

TEST(Fuzz, KeepsGoingForOneViolationOfEachProperty) {
    const CanalScope scope = leaking();
    FuzzOptions options = fuzzing("random");
    options.check = properties_for(scope.world);
    options.stop_at_first = false;
    options.schedules_max = 500;
    const FuzzResult result = runner(scope)->fuzz(options);
    EXPECT_EQ(result.schedules, 500U);
    EXPECT_EQ(names(result.violations).size(), result.violations.size());
    EXPECT_TRUE(names(result.violations).contains("leak"));
    EXPECT_EQ(result.found_by.size(), result.violations.size());
}

TEST(Fuzz, TriesTheCorpusBeforeAnythingElse) {
    const auto system = runner(misused());
    FuzzOptions options = fuzzing("random");
    const FuzzResult found = system->fuzz(options);
    ASSERT_EQ(found.violations.size(), 1U);
    options.corpus = {found.violations[0].schedule};
    options.corpus[0].seed = 777;
    const FuzzResult known = system->fuzz(options);
    EXPECT_EQ(known.schedules, 1U);
    EXPECT_THAT(known.found_by, ElementsAre("corpus"));
    EXPECT_EQ(known.violations.at(0).schedule, options.corpus[0]);
}

// Old schedules need not fit: what is impossible is passed over, the rest is tried, then others.
TEST(Fuzz, ACorpusOfAnotherScopeDoesNoHarm) {
    FuzzOptions options = fuzzing("random");
    options.corpus = {{1, {step_of(3), {9, ActionKind::kBackground, 77}, step_of(0)}}, {2, {}}};
    options.schedules_max = 50;
    const FuzzResult result = runner(harmless())->fuzz(options);
    EXPECT_TRUE(std::holds_alternative<Passed>(result.verdict));
    EXPECT_EQ(result.schedules, 50U);
}

TEST(Fuzz, ADeterministicSystemPassesTheDeterminismCheck) {
    FuzzOptions options = fuzzing("portfolio");
    options.check_determinism = true;
    options.schedules_max = 100;
    EXPECT_TRUE(std::holds_alternative<Passed>(runner(harmless())->fuzz(options).verdict));
}

}  // namespace
}  // namespace lockkeeper
