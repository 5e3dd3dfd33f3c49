// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/black_box.hpp"

#include <algorithm>

#include "validate/programs/black_box_run.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

BlackBoxResult run(const std::string& command, const OutsideWorld& world, const std::string& model,
                   std::uint64_t schedules, double answer_seconds = 60) {
    ProgramOptions program = options_for(command, world);
    program.answer_seconds = answer_seconds;
    BlackBoxOptions options;
    options.schedules_max = schedules;
    options.recovery_seconds = 0.3;
    const auto choice = parse_model(model);
    options.model = std::get<ModelChoice>(choice);
    options.check.ladder = false;
    return run_black_box(program, world, options);
}

TEST(BlackBox, ALockThatCountsRightIsExplained) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result =
        run(example("python3", "counter.py --atomic"), pairs(4, 2, 5), "semaphore:2", 3);
    EXPECT_FALSE(result.misbehaviour) << result.detail;
    EXPECT_EQ("", result.refused);
    EXPECT_TRUE(is<Passed>(result.verdict));
    EXPECT_EQ(3U, result.schedules);
    EXPECT_GE(result.operations, 3U * 4 * 5);
}

// The model says how many places there are, as that of a semaphore does.
TEST(BlackBox, APoolThatLendsEverythingLendsTooMany) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run(child("grants"), pairs(3, 2, 5), "pool:2", 200);
    ASSERT_TRUE(result.finding);
    ASSERT_NE(nullptr, result.finding->property);
    EXPECT_TRUE(result.finding->property->is(PropertyNumber::kOverAllocation));
    // It counts whom it refuses for a moment.
    const BlackBoxResult right = run(example("python3", "counter.py --atomic"), pairs(4, 2, 5),
                                     "pool:2,refusals=ignored", 3);
    EXPECT_FALSE(right.finding);
    EXPECT_TRUE(is<Passed>(right.verdict));
}

TEST(BlackBox, ALockThatGrantsEverythingIsNot) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run(child("grants"), pairs(3, 1, 5), "mutex", 20);
    EXPECT_TRUE(is<Violated>(result.verdict)) << result.detail << result.refused;
    EXPECT_FALSE(result.history.records.empty());
}

// It is a real race: on a quiet machine many runs pass before it happens.
TEST(BlackBox, ALostUpdateShowsInAHistory) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result =
        run(example("python3", "counter.py"), pairs(4, 1, 10), "mutex", 1'000);
    EXPECT_TRUE(is<Violated>(result.verdict)) << result.detail << result.refused;
}

TEST(BlackBox, AServerThatForgetsWhenKilledIsCaught) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(3, 1, 10);
    world.world.crashes_max = 2;
    world.crash_takes = CrashTakes::kNothing;
    const BlackBoxResult result =
        run(example("python3", "counter.py --atomic"), world, "mutex", 80);
    EXPECT_GT(result.crashes, 0U);
    EXPECT_TRUE(is<Violated>(result.verdict)) << result.detail << result.refused;
}

// Each caller has a and dies in its acquire of b: a is free for the next one.
TEST(BlackBox, WhatTheDeadHeldMayBeGivenBack) {
    NEEDS_TOOL("python3");
    Operation second = operation(Verb::kAcquire);
    second.key = 1;
    OutsideWorld world = world_of(2, {operation(Verb::kAcquire), second});
    world.world.keys = {"a", "b"};
    std::erase(world.check, find_property("caller-death"));
    for (const char* model : {"mutex", "owner-aware-mutex", "semaphore:1"}) {
        const BlackBoxResult result = run(other_child("doubtful.py dies"), world, model, 10);
        EXPECT_TRUE(is<Passed>(result.verdict)) << result.detail << result.refused;
        EXPECT_EQ(10U, result.schedules);
        EXPECT_EQ(2, std::count_if(result.history.records.begin(), result.history.records.end(),
                                   [](const Record& record) { return record.f == "exit"; }));
    }
}

// An exit gives back only what its own process had.
TEST(BlackBox, AnExitExcusesNobodyElse) {
    NEEDS_TOOL("python3");
    Operation leave = operation(Verb::kExit);
    OutsideWorld world = world_of(3, {operation(Verb::kAcquire)});
    world.world.callers[0].script.push_back(leave);
    EXPECT_TRUE(is<Violated>(run(child("grants"), world, "mutex", 3).verdict));
    world = world_of(1, {operation(Verb::kAcquire), leave});
    world.world.callers.push_back(world.world.callers[0]);
    world.world.callers[1].name = "A2";
    EXPECT_TRUE(is<Passed>(run(child("refuses"), world, "mutex", 3).verdict));
}

// The clock goes on between any two looks at it, and a retry falls due in between.
TEST(BlackBox, ARetryThatFallsDueInTheMiddleOfARoundIsNoWaitForEver) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(1, {operation(Verb::kAcquire)});
    world.world.callers[0].script[0].until_acquired = true;
    ProgramOptions options = options_for(child("refuses"), world);
    options.stepped = false;
    ProgramGroup programs(options, false);
    constexpr std::uint64_t kOperations = 20;
    auto time = SteadyClock::now();
    BlackBoxMeasures measures;
    measures.now = [&] {
        time += std::chrono::microseconds(400);  // a retry is due after 1,000
        return time;
    };
    BlackBoxRun run(programs, world, 1, {kOperations, 1}, measures);
    EXPECT_NO_THROW(run.run());
    EXPECT_EQ(kOperations, run.operations());
}

TEST(BlackBox, MisbehaviourIsAVerdictHereToo) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = pairs(2, 1);
    EXPECT_EQ(Misbehaviour::kDied, run(child("dies"), world, "mutex", 1).misbehaviour);
    EXPECT_EQ("the reason stands here\n", run(child("dies"), world, "mutex", 1).last_words);
    EXPECT_EQ(Misbehaviour::kWrongAnswer, run(child("wrong-id"), world, "mutex", 1).misbehaviour);
    EXPECT_EQ(Misbehaviour::kNonsense, run(child("unknown-type"), world, "mutex", 1).misbehaviour);
    EXPECT_EQ(Misbehaviour::kFlooded, run(child("long-line"), world, "mutex", 1).misbehaviour);
    EXPECT_EQ(Misbehaviour::kDied, run(child("closes-stdout"), world, "mutex", 1).misbehaviour);
}

// The verdict itself is a time-out here.
TEST(BlackBox, OperationsThatNeverReturnAreAVerdict) {
    NEEDS_TOOL("python3");
    EXPECT_EQ(Misbehaviour::kHung,
              run(child("never-answers"), pairs(2, 1), "mutex", 1, 1).misbehaviour);
}

}  // namespace
}  // namespace lockkeeper
