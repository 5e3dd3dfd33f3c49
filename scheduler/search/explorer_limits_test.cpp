// SPDX-License-Identifier: Apache-2.0

// How an exploration ends that does not see everything, and how one ends that gets stuck.
#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;

// A depth-first search looks at the clock, the memory and the interrupt once in 4,096 states; a
// breadth-first one after each round, here after each level.
constexpr std::uint64_t kStatesOfALook = 4'096;
constexpr std::uint64_t kAll = 31'374;
constexpr std::uint64_t kAllTransitions = 114'600;

CanalScope three_warm() { return warm(once_each({2, 2, 2}, 1, 15), 2); }

ExploreOptions plain() {
    ExploreOptions options;
    options.symmetry = false;
    options.counting = Counting::kOff;
    return options;
}

void expect_ended_by(const ExploreResult& result, const std::string& limit) {
    EXPECT_FALSE(result.complete);
    EXPECT_EQ(result.limit, limit);
    ASSERT_TRUE(std::holds_alternative<Inconclusive>(result.verdict)) << name_of(result.verdict);
    EXPECT_EQ(std::get<Inconclusive>(result.verdict).limit, limit);
    EXPECT_GT(result.states, 0U);
    EXPECT_LE(result.states, kAll);
    EXPECT_LE(result.transitions, kAllTransitions);
    EXPECT_EQ(result.interleavings, std::nullopt);
}

class ExplorerLimit : public ::testing::TestWithParam<std::tuple<Frontier, Storage>> {
  protected:
    ExploreOptions options() const {
        ExploreOptions options = plain();
        options.frontier = std::get<0>(GetParam());
        options.storage = std::get<1>(GetParam());
        return options;
    }
};

TEST_P(ExplorerLimit, TheNumberOfStatesEndsIt) {
    for (const std::uint64_t limit : {1U, 100U, 5'000U}) {
        ExploreOptions limited = options();
        limited.states_max = limit;
        const ExploreResult result = runner(three_warm())->explore(limited);
        expect_ended_by(result, "states");
        EXPECT_GE(result.states, limit);
        EXPECT_LE(result.states, limit + 100);  // the batch under way is finished
    }
}

TEST_P(ExplorerLimit, NoTimeAtAllEndsItAtTheFirstLook) {
    ExploreOptions limited = options();
    limited.seconds_max = 0;
    const ExploreResult result = runner(three_warm())->explore(limited);
    expect_ended_by(result, "time");
    EXPECT_LT(result.states, kAll);
    if (limited.frontier == Frontier::kStack) {
        EXPECT_GE(result.transitions, kStatesOfALook);
    } else {
        EXPECT_EQ(result.transitions, 3U);  // each caller's first step
    }
}

TEST_P(ExplorerLimit, MemoryEndsIt) {
    ExploreOptions limited = options();
    limited.bytes_max = 1;
    const ExploreResult result = runner(three_warm())->explore(limited);
    expect_ended_by(result, "memory");
    EXPECT_GT(result.bytes_stored, 1U);
}

TEST_P(ExplorerLimit, AnInterruptEndsItAndIsTakenBack) {
    request_interrupt();
    const ExploreResult result = runner(three_warm())->explore(options());
    clear_interrupt();
    expect_ended_by(result, "interrupted");
    EXPECT_TRUE(runner(three_warm())->explore(options()).complete);
}

// States at most `depth_max` steps away are expanded: schedules of one step more are judged.
TEST_P(ExplorerLimit, DepthEndsItBehindTheStatesOfThatDepth) {
    const CanalScope scope = warm(once_each({2, 2}, 1, 15), 2);
    const TinyWorld world = tiny(scope);
    for (const std::uint64_t depth : {0U, 1U, 5U, 21U}) {
        ExploreOptions limited = options();
        limited.depth_max = depth;
        const ExploreResult result = runner(scope)->explore(limited);
        EXPECT_FALSE(result.complete);
        EXPECT_EQ(result.limit, "depth");
        EXPECT_EQ(result.depth, depth);
        if (limited.frontier == Frontier::kQueue) {
            EXPECT_EQ(result.states, NaiveSearch(world, {}, {}).states_within(depth + 1));
        }
    }
    ExploreOptions enough = options();
    enough.depth_max = 22;
    if (enough.frontier == Frontier::kQueue) {
        EXPECT_TRUE(runner(scope)->explore(enough).complete);
    }
}

INSTANTIATE_TEST_SUITE_P(WithEveryFrontierAndStorage, ExplorerLimit,
                         ::testing::Combine(::testing::Values(Frontier::kQueue, Frontier::kStack),
                                            ::testing::Values(Storage::kExact,
                                                              Storage::kFingerprints)));

TEST(ExplorerEnd, AViolationInsideTheDepthLimitIsFoundByQueueAndStack) {
    GraphSystem chain;
    chain.nodes.resize(3);
    chain.nodes[0].edges = {{step_of(0), 1, 0}};
    chain.nodes[1].edges = {{step_of(0), 2, kCallerDied}};
    chain.nodes[2].finished = true;
    for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
        ExploreOptions options = plain();
        options.frontier = frontier;
        options.check = {find_property("caller-death")};
        options.depth_max = 1;
        EXPECT_EQ(runner(chain)->explore(options).violations.size(), 1U);
        options.depth_max = 2;
        EXPECT_TRUE(runner(chain)->explore(options).complete);
    }
}

TEST(ExplorerEnd, TheFirstViolationEndsItWhenAsked) {
    const CanalScope scope = leaking();
    ExploreOptions options = plain();
    options.check = properties_for(scope.world);
    const ExploreResult all = runner(scope)->explore(options);
    options.stop_at_first = true;
    const ExploreResult first = runner(scope)->explore(options);
    EXPECT_FALSE(first.complete);
    EXPECT_EQ(first.limit, "first violation");
    EXPECT_LT(first.states, all.states);
    ASSERT_FALSE(first.violations.empty());
    EXPECT_EQ(first.violations.front().schedule, all.violations.front().schedule);
    EXPECT_TRUE(std::holds_alternative<Violated>(first.verdict));
}

TEST(ExplorerEnd, AViolationBeforeALimitIsStillAViolation) {
    const CanalScope scope = leaking();
    ExploreOptions options = plain();
    options.check = {find_property("leak")};
    options.states_max = runner(scope)->explore(options).states - 1;
    const ExploreResult result = runner(scope)->explore(options);
    EXPECT_FALSE(result.complete);
    EXPECT_TRUE(std::holds_alternative<Violated>(result.verdict));
}

TEST(ExplorerEnd, ProgressIsReportedAndGrows) {
    std::vector<ExploreProgress> seen;
    ExploreOptions options = plain();
    options.progress = [&](const ExploreProgress& progress) { seen.push_back(progress); };
    const ExploreResult result = runner(three_warm())->explore(options);
    ASSERT_EQ(seen.size(), result.depth + 1);  // no level needs a second round
    for (std::size_t i = 1; i < seen.size(); ++i) {
        EXPECT_GE(seen[i].transitions, seen[i - 1].transitions);
        EXPECT_GE(seen[i].depth, seen[i - 1].depth);
    }
    EXPECT_LE(seen.back().states, result.states);
}

// 0 -> 1 -> 2: somebody is unfinished in 2 and cannot go on; a crash is possible and saves nobody.
GraphSystem stuck_after_two(bool may_crash) {
    GraphSystem system;
    system.nodes.resize(4);
    system.nodes[0].edges = {{step_of(0), 1, 0}, {step_of(1), 3, 0}};
    system.nodes[1].edges = {{step_of(1), 2, 0}};
    if (may_crash) {
        system.nodes[2].edges = {{{0, ActionKind::kCrash, 0}, 3, kCrashed}};
    }
    system.nodes[3].finished = true;
    return system;
}

TEST(ExplorerEnd, WithoutTheDeadlockPropertyTheVerdictIsStuckAndHasASchedule) {
    for (const bool may_crash : {false, true}) {
        for (const Storage storage : {Storage::kExact, Storage::kFingerprints}) {
            ExploreOptions options = plain();
            options.storage = storage;
            const auto system = runner(stuck_after_two(may_crash));
            const ExploreResult result = system->explore(options);
            ASSERT_TRUE(std::holds_alternative<Stuck>(result.verdict));
            const Schedule& schedule = std::get<Stuck>(result.verdict).schedule;
            EXPECT_EQ(schedule.actions, (std::vector<Action>{step_of(0), step_of(1)}));
            EXPECT_TRUE(system->replay(schedule, {}).deadlocked);
        }
    }
}

TEST(ExplorerEnd, WithTheDeadlockPropertyTheVerdictIsViolated) {
    for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
        ExploreOptions options = plain();
        options.frontier = frontier;
        options.check = {find_property("deadlock")};
        const auto system = runner(stuck_after_two(true));
        const ExploreResult result = system->explore(options);
        ASSERT_TRUE(std::holds_alternative<Violated>(result.verdict));
        EXPECT_EQ(std::get<Violated>(result.verdict).property, "deadlock");
        ASSERT_EQ(result.violations.size(), 1U);
        ReplayOptions asked;
        asked.check = options.check;
        const Trace trace = system->replay(result.violations[0].schedule, asked);
        EXPECT_TRUE(trace.deadlocked);
        EXPECT_THAT(trace.violated, ::testing::ElementsAre(options.check[0]));
    }
}

TEST(ExplorerEnd, WhereVirtualTimeIsOverNothingIsDecided) {
    GraphSystem graph = stuck_after_two(true);
    graph.nodes[2].time_is_over = true;
    const auto system = runner(graph);
    for (const Frontier frontier : {Frontier::kQueue, Frontier::kStack}) {
        ExploreOptions options = plain();
        options.frontier = frontier;
        options.check = {find_property("deadlock")};
        const ExploreResult result = system->explore(options);
        ASSERT_TRUE(std::holds_alternative<Inconclusive>(result.verdict));
        EXPECT_EQ(std::get<Inconclusive>(result.verdict).limit, kTimeIsOver);
        EXPECT_FALSE(result.complete);
    }
    FuzzOptions fuzz;
    fuzz.check = {find_property("deadlock")};
    fuzz.schedules_max = 100;
    const FuzzResult fuzzed = system->fuzz(fuzz);
    EXPECT_TRUE(fuzzed.violations.empty());
    EXPECT_GT(fuzzed.cut_schedules, 0U);
    EXPECT_LT(fuzzed.cut_schedules, 100U);  // in some the second caller goes first
    ReplayOptions asked;
    asked.check = fuzz.check;
    const Trace trace = system->replay({0, {step_of(0), step_of(1)}}, asked);
    EXPECT_TRUE(trace.time_is_over);
    EXPECT_FALSE(trace.deadlocked);
    EXPECT_TRUE(trace.violated.empty());
}

TEST(ExplorerEnd, AnInitialStateThatIsBrokenIsFoundWithoutAStep) {
    GraphSystem system;
    system.nodes.resize(1);
    system.nodes[0].quiescent = true;
    system.nodes[0].finished = true;
    system.nodes[0].counted = 1;
    ExploreOptions options = plain();
    options.check = {find_property("leak")};
    const ExploreResult result = runner(system)->explore(options);
    ASSERT_EQ(result.violations.size(), 1U);
    EXPECT_TRUE(result.violations[0].schedule.actions.empty());
    EXPECT_EQ(result.terminal_states, 1U);
}

}  // namespace
}  // namespace lockkeeper
