#include "outside/black_box.hpp"

#include "outside/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

BlackBoxResult run(const std::string& command, const OutsideWorld& world, const std::string& model,
                   std::uint64_t schedules, double answer_seconds = 60) {
    ProgramOptions program = options_for(command, world);
    program.answer_seconds = answer_seconds;
    BlackBoxOptions options;
    options.schedules_max = schedules;
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
    EXPECT_EQ(HistoryVerdict::kPassed, result.verdict);
    EXPECT_EQ(3U, result.schedules);
    EXPECT_GE(result.operations, 3U * 4 * 5);
}

TEST(BlackBox, ALockThatGrantsEverythingIsNot) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result = run(child("grants"), pairs(3, 1, 5), "mutex", 20);
    EXPECT_EQ(HistoryVerdict::kViolated, result.verdict) << result.detail << result.refused;
    EXPECT_FALSE(result.history.records.empty());
}

TEST(BlackBox, ALostUpdateShowsInAHistory) {
    NEEDS_TOOL("python3");
    const BlackBoxResult result =
        run(example("python3", "counter.py"), pairs(4, 1, 10), "mutex", 20);
    EXPECT_EQ(HistoryVerdict::kViolated, result.verdict) << result.detail << result.refused;
}

TEST(BlackBox, AServerThatForgetsWhenKilledIsCaught) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(3, 1, 10);
    world.world.crashes_max = 2;
    const BlackBoxResult result =
        run(example("python3", "counter.py --atomic"), world, "mutex", 40);
    EXPECT_GT(result.crashes, 0U);
    EXPECT_EQ(HistoryVerdict::kViolated, result.verdict) << result.detail << result.refused;
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
