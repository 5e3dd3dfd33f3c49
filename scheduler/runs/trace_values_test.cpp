// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/trace_values.hpp"

#include <gmock/gmock.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Action kCrashOfA{0, ActionKind::kCrash, 0};
Action by_manager(std::uint8_t caller, std::uint16_t argument) {
    return {caller, ActionKind::kBackground, argument};
}

Trace replay_of(const CanalScope& scope, const std::vector<Action>& actions) {
    return runner(scope)->replay({0, actions}, {});
}

// The value in the state after so many steps.
std::int32_t shown_value(const Trace& trace, const ShownField& field, std::size_t steps) {
    const auto at = std::find(trace.fields.begin(), trace.fields.end(), field);
    EXPECT_NE(at, trace.fields.end());
    const auto index = static_cast<std::uint32_t>(at - trace.fields.begin());
    std::int32_t now = trace.initial_values.at(index);
    for (std::size_t i = 0; i < steps; ++i) {
        for (const ShownChange& change : trace.steps[i].changes) {
            now = change.field == index ? change.value : now;
        }
    }
    return now;
}
std::vector<std::int32_t> shown_values(const Trace& trace, const ShownField& field) {
    std::vector<std::int32_t> all;
    for (std::size_t steps = 0; steps <= trace.steps.size(); ++steps) {
        all.push_back(shown_value(trace, field, steps));
    }
    return all;
}

CanalScope two_with_manager() { return warm(once_each({1, 1}, 2, 2), 1); }

TEST(TraceValues, NameThePartiesOfARunCallersFirst) {
    const Trace trace = replay_of(two_with_manager(), {step_of(0), step_of(0), by_manager(0, 1)});
    std::vector<std::string> names;
    for (const TraceParty& party : trace.parties) {
        names.push_back(party.name);
    }
    EXPECT_THAT(names, ElementsAre("A", "B", "manager", "clock", "world"));
    EXPECT_THAT(trace.keys, ElementsAre("db"));
    EXPECT_EQ(trace.steps[0].party, 0U);
    EXPECT_EQ(trace.steps[2].party, 2U);
    EXPECT_EQ(trace.steps[0].words.label, "update_counter db[1]");
    EXPECT_EQ(trace.steps[0].words.operation, "acquire");
}

TEST(TraceValues, FollowBeliefGrantAndCounterFromStepToStep) {
    const Trace trace = replay_of(two_with_manager(), {step_of(0), step_of(0), step_of(1)});
    EXPECT_THAT(shown_values(trace, {ShownKind::kCounter, {}, 0, 1}), ElementsAre(0, 1, 1, 2));
    EXPECT_THAT(shown_values(trace, {ShownKind::kBelieved, 0, 0, 0}), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(shown_values(trace, {ShownKind::kGranted, 0, 0, 0}), ElementsAre(0, 1, 1, 1));
    EXPECT_THAT(shown_values(trace, {ShownKind::kProtected, 0, 0, 0}), ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(shown_values(trace, {ShownKind::kCapacity, {}, 0, 0}), ElementsAre(2, 2, 2, 2));
    EXPECT_THAT(shown_values(trace, {ShownKind::kCounted, {}, 0, 0}), ElementsAre(0, 1, 1, 2));
    EXPECT_THAT(shown_values(trace, {ShownKind::kAtRest, {}, {}, 0}), ElementsAre(1, 0, 0, 0));
}

// One of three places exists at first; B, who finds that place full, makes the second.
TEST(TraceValues, APlaceThatIsMadeOnTheWayIsAFieldFromThenOn) {
    CanalScope scope = warm(once_each({3, 3}, 1, 2), 1);
    const Trace trace = replay_of(scope, {step_of(0), step_of(1), step_of(1), step_of(1)});
    EXPECT_THAT(shown_values(trace, {ShownKind::kCounter, {}, 0, 2}),
                ElementsAre(kNotShown, kNotShown, kNotShown, kNotShown, 1));
}

TEST(TraceValues, AMessageIsUnderWayFromTheStepThatSendsItToTheOneThatHandlesIt) {
    const Trace trace = replay_of(two_with_manager(), {step_of(0), step_of(0), by_manager(0, 1)});
    TraceMessage notified{0, 2, 2, 3, false, false, 0};
    EXPECT_THAT(trace.messages, ElementsAre(notified));
    EXPECT_THAT(shown_values(trace, {ShownKind::kInFlight, 0, {}, 0}), ElementsAre(0, 0, 1, 0));
}

TEST(TraceValues, TheWordOfADeathIsSentByTheCrash) {
    const CanalScope scope = with_crashes(two_with_manager(), 1);
    const Trace trace =
        replay_of(scope, {step_of(0), step_of(0), by_manager(0, 1), kCrashOfA, by_manager(0, 4)});
    ASSERT_EQ(trace.messages.size(), 2U);
    EXPECT_EQ(trace.messages[1], (TraceMessage{0, 2, 4, 5, false, true, {}}));
}

TEST(TraceValues, AreLeftOutOfRunsWithoutWords) {
    ReplayOptions options;
    options.describes = false;
    const Trace trace = runner(two_with_manager())->replay({0, {step_of(0)}}, options);
    EXPECT_THAT(trace.fields, IsEmpty());
    EXPECT_THAT(trace.parties, IsEmpty());
    EXPECT_THAT(trace.steps[0].changes, IsEmpty());
}

}  // namespace
}  // namespace lockkeeper
