// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two callers, no manager: acquire is one step, release is two (read highest, subtract).
CanalScope two() { return counters_only(warm(once_each({1, 1}, 2, 2), 1)); }

std::vector<Action> steps(std::initializer_list<std::uint8_t> callers) {
    std::vector<Action> actions;
    for (const std::uint8_t caller : callers) {
        actions.push_back(step_of(caller));
    }
    return actions;
}

std::vector<std::string> texts(const Trace& trace) {
    std::vector<std::string> all;
    for (const TraceStep& step : trace.steps) {
        all.push_back(step.text + " " + step.result);
    }
    return all;
}

TEST(Replay, TellsEachStepItsResultAndTheStateAfterIt) {
    const Trace trace = runner(two())->replay({7, steps({0, 1, 0, 0, 1, 1})}, {});
    EXPECT_EQ(trace.initial_state, "db [0] highest 1  nobody holds");
    EXPECT_THAT(
        texts(trace),
        ElementsAre("A acquire: update_counter db[1] -> 1, acquired, count 1",
                    "B acquire: update_counter db[1] -> 2, acquired, count 2",
                    "A release: read highest db -> 1", "A release: subtract db[1] -> 1, released",
                    "B release: read highest db -> 1", "B release: subtract db[1] -> 0, released"));
    EXPECT_EQ(trace.steps[1].state, "db [2] highest 1  held by A, B");
    EXPECT_EQ(trace.steps[5].state, "db [0] highest 1  nobody holds");
    EXPECT_THAT(trace.divergences, IsEmpty());
    EXPECT_TRUE(trace.all_finished);
    EXPECT_FALSE(trace.deadlocked);
    EXPECT_EQ(trace.counters, (std::vector<std::vector<std::int32_t>>{{0}}));
    EXPECT_EQ(trace.schedule(7), (Schedule{7, steps({0, 1, 0, 0, 1, 1})}));
}

// The third step is of a caller that is not there.
TEST(Replay, AnImpossibleStepStopsItWithItsNumberAndWhatWasPossible) {
    const Trace trace = runner(two())->replay({0, steps({0, 0, 2, 0})}, {});
    EXPECT_EQ(trace.steps.size(), 2U);
    ASSERT_EQ(trace.divergences.size(), 1U);
    EXPECT_EQ(trace.divergences[0].step, 2U);
    EXPECT_EQ(trace.divergences[0].reason, "action s2 is not possible; possible: s0 s1");
    EXPECT_FALSE(trace.all_finished);
}

TEST(Replay, WhereNothingIsPossibleItSaysSo) {
    const Trace trace = runner(two())->replay({0, steps({0, 0, 0, 1, 1, 1, 1})}, {});
    ASSERT_EQ(trace.divergences.size(), 1U);
    EXPECT_EQ(trace.divergences[0].step, 6U);
    EXPECT_EQ(trace.divergences[0].reason, "action s1 is not possible; possible: nothing");
}

TEST(Replay, AnImpossibleStepIsPassedOverWhenItShallContinue) {
    ReplayOptions options;
    options.on_divergence = OnDivergence::kContinue;
    const Trace trace = runner(two())->replay({0, steps({2, 0, 3, 0, 0, 0, 1})}, options);
    EXPECT_EQ(trace.schedule(0).actions, steps({0, 0, 0, 1}));
    ASSERT_EQ(trace.divergences.size(), 3U);
    EXPECT_EQ(trace.divergences[0].step, 0U);
    EXPECT_EQ(trace.divergences[1].step, 2U);
    EXPECT_EQ(trace.divergences[2].step, 5U);
}

// The manager's message of the other caller is the nearest to one that is not there.
TEST(Replay, TheNearestIsAnotherActionOfTheSameParty) {
    const CanalScope scope = warm(once_each({1, 1}, 2, 2), 1);
    const Action impossible{1, ActionKind::kBackground, canal::kHandleLock};
    const std::vector<Action> actions{step_of(0), step_of(0), impossible, step_of(3), step_of(1)};
    ReplayOptions options;
    options.on_divergence = OnDivergence::kNearest;
    const Trace trace = runner(scope)->replay({0, actions}, options);
    const Action nearest{0, ActionKind::kBackground, canal::kHandleLock};
    EXPECT_THAT(trace.schedule(0).actions,
                ElementsAre(step_of(0), step_of(0), nearest, step_of(1)));
    ASSERT_EQ(trace.divergences.size(), 2U);
    EXPECT_EQ(trace.divergences[0].step, 2U);
    EXPECT_EQ(trace.divergences[1].step, 3U);
}

TEST(Replay, RecordedLabelsAreComparedWhereThereAreAny) {
    const auto system = runner(two());
    const Schedule schedule{0, steps({0, 1, 0, 0, 1, 1})};
    ReplayOptions options;
    options.labels = texts(system->replay(schedule, {}));
    EXPECT_THAT(system->replay(schedule, options).divergences, IsEmpty());

    options.labels[1].clear();  // a step that a person added
    options.labels.resize(4);   // and a record that is too short
    EXPECT_THAT(system->replay(schedule, options).divergences, IsEmpty());

    options.labels[3] = "A release: subtract db[1] -> 2, released";
    const Trace stopped = system->replay(schedule, options);
    ASSERT_EQ(stopped.divergences.size(), 1U);
    EXPECT_EQ(stopped.divergences[0].step, 3U);
    EXPECT_EQ(stopped.divergences[0].reason,
              "recorded \"A release: subtract db[1] -> 2, released\", now \"A release: subtract "
              "db[1] -> 1, released\"");
    EXPECT_EQ(stopped.steps.size(), 4U);

    options.on_divergence = OnDivergence::kContinue;
    const Trace whole = system->replay(schedule, options);
    EXPECT_EQ(whole.divergences.size(), 1U);
    EXPECT_EQ(whole.steps.size(), 6U);
}

TEST(Replay, TheHistoryHasCallsAndReturnsAsSeenFromOutside) {
    CanalScope scope = counters_only(with_crashes(warm(once_each({1, 1}, 1, 2), 1), 1));
    // A acquires (step 0), B is refused (1), A begins to release (2) and dies in it (3).
    const Trace trace = runner(scope)->replay(
        {0, {step_of(0), step_of(1), step_of(0), {0, ActionKind::kCrash, 0}}}, {});
    ASSERT_EQ(trace.steps.size(), 4U);
    using enum HistoryType;
    EXPECT_THAT(trace.history, ElementsAre(HistoryEntry{0, 0, kInvoke, Verb::kAcquire, 0, {}},
                                           HistoryEntry{0, 0, kOk, Verb::kAcquire, 0, 1},
                                           HistoryEntry{1, 1, kInvoke, Verb::kAcquire, 0, {}},
                                           HistoryEntry{1, 1, kFail, Verb::kAcquire, 0, {}},
                                           HistoryEntry{2, 0, kInvoke, Verb::kRelease, 0, {}},
                                           HistoryEntry{3, 0, kInfo, Verb::kRelease, 0, {}}));
}

TEST(Replay, ACrashBetweenTwoCallsIsNoEntryOfTheHistory) {
    const CanalScope scope = counters_only(with_crashes(warm(once_each({1, 1}, 1, 2), 1), 1));
    const Trace trace = runner(scope)->replay({0, {step_of(0), {0, ActionKind::kCrash, 0}}}, {});
    ASSERT_EQ(trace.steps.size(), 2U);
    EXPECT_EQ(trace.history.size(), 2U);
}

TEST(Replay, AReleaseReturnsOk) {
    const Trace trace = runner(two())->replay({0, steps({0, 0, 0})}, {});
    ASSERT_EQ(trace.history.size(), 4U);
    EXPECT_EQ(trace.history[2], (HistoryEntry{1, 0, HistoryType::kInvoke, Verb::kRelease, 0, {}}));
    EXPECT_EQ(trace.history[3], (HistoryEntry{2, 0, HistoryType::kOk, Verb::kRelease, 0, {}}));
}

TEST(Replay, OnlyWhatIsAskedIsJudgedAndEachViolationIsListedOnce) {
    const CanalScope scope = leaking();
    const Property* const leak = find_property("leak");
    // A takes the unit and dies; B is refused in the presence of the leak.
    const std::vector<Action> actions{step_of(0), {0, ActionKind::kCrash, 0}, step_of(1)};
    EXPECT_THAT(runner(scope)->replay({0, actions}, {}).violated, IsEmpty());
    ReplayOptions options;
    options.check = {leak};
    const Trace trace = runner(scope)->replay({0, actions}, options);
    EXPECT_THAT(trace.violated, ElementsAre(leak));
    EXPECT_THAT(trace.steps[0].violates, IsEmpty());
    EXPECT_THAT(trace.steps[1].violates, ElementsAre(leak));
    EXPECT_THAT(trace.steps[2].violates, ElementsAre(leak));
}

TEST(Replay, ACycleClosesOnlyWhereTheSameStateIsReached) {
    GraphSystem ring;
    ring.nodes.resize(4);
    for (std::uint32_t id = 0; id < 4; ++id) {
        ring.nodes[id].edges = {{step_of(0), id == 3 ? 1 : id + 1, 0}};
    }
    const Property* const livelock = find_property("livelock");
    ReplayOptions options;
    options.check = {livelock};
    options.cycle_start = 1;
    const auto system = runner(ring);
    const Trace closed = system->replay({0, steps({0, 0, 0, 0})}, options);
    EXPECT_EQ(closed.cycle_start, 1U);
    EXPECT_TRUE(closed.cycle_closes);
    EXPECT_THAT(closed.violated, ElementsAre(livelock));

    const Trace open = system->replay({0, steps({0, 0, 0})}, options);
    EXPECT_FALSE(open.cycle_closes);
    EXPECT_THAT(open.violated, IsEmpty());

    options.cycle_start = 4;  // behind the end: an empty cycle is none
    EXPECT_FALSE(system->replay({0, steps({0, 0, 0, 0})}, options).cycle_closes);
}

TEST(RunInOrder, EachEntryIsAWholeOperationAndWhatTheManagerDoesAfterIt) {
    const auto system = runner(warm(once_each({1, 1}, 1, 2), 1));
    const Trace trace = system->run_in_order({0, 1, 0, 0}, {});
    std::vector<HistoryType> types;
    for (const HistoryEntry& entry : trace.history) {
        types.push_back(entry.type);
    }
    using enum HistoryType;
    EXPECT_THAT(types, ElementsAre(kInvoke, kOk, kInvoke, kFail, kInvoke, kOk));
    EXPECT_TRUE(trace.all_finished);
    EXPECT_EQ(trace.counters, (std::vector<std::vector<std::int32_t>>{{0}}));
    // It is a run like any other.
    EXPECT_THAT(texts(system->replay(trace.schedule(0), {})), ::testing::ContainerEq(texts(trace)));
}

// The seeds' timeline: A, B, E see one bucket of three; C, D see two. In the order B A C E D the
// counters go [1] [2] [3] [4] and [4,1]; E is refused.
TEST(RunInOrder, TheTimelineOfTheSeedsEndsInTheCountersOfTheSeeds) {
    CanalScope scope = once_each({1, 1, 2, 2, 1}, 3, 15);
    scope.options.max_pers = {3};
    const auto system = runner(scope);
    const Trace trace = system->run_in_order({1, 0, 2, 4, 3}, {});
    EXPECT_EQ(trace.counters, (std::vector<std::vector<std::int32_t>>{{4, 1}}));
    std::vector<std::pair<int, HistoryType>> returned;
    for (const HistoryEntry& entry : trace.history) {
        if (entry.type != HistoryType::kInvoke) {
            returned.emplace_back(entry.caller, entry.type);
        }
    }
    using enum HistoryType;
    EXPECT_THAT(returned, ElementsAre(std::pair(1, kOk), std::pair(0, kOk), std::pair(2, kOk),
                                      std::pair(4, kFail), std::pair(3, kOk)));
}

}  // namespace
}  // namespace lockkeeper
