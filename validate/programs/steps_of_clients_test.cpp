// SPDX-License-Identifier: Apache-2.0

// Tests the questions that the clients of examples/outside can ask alike in each language: waiting,
// several accesses as one step, names of steps.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

// A number of callers, and one place less than they need.
struct Size {
    std::size_t callers;
    std::uint16_t places;
};
std::vector<Size> sizes() {
    return testing_model::is_short_run() ? std::vector<Size>{{2, 1}}
                                         : std::vector<Size>{{2, 1}, {3, 1}, {4, 3}};
}

class StepsOfClients : public InEachLanguage {};

TEST_P(StepsOfClients, ARightLockThatWaitsIsSearchedCompletely) {
    NEEDS_TOOL(GetParam().tool);
    NEEDS_TOOL("python3");
    for (const auto& [callers, places] : sizes()) {
        for (const std::string flag : {"", " --no-flag"}) {
            const Searched searched(example_here("waiting", flag), pairs(callers, places));
            EXPECT_EQ("nothing", searched.found()) << callers << flag;
            EXPECT_TRUE(searched.result.complete) << callers << flag;
            expect_same(
                Searched(example("python3", "waiting.py" + flag), pairs(callers, places)).result,
                searched.result);
        }
    }
}

TEST_P(StepsOfClients, ALostWakeUpIsADeadlock) {
    NEEDS_TOOL(GetParam().tool);
    for (const auto& [callers, places] : sizes()) {
        EXPECT_EQ(
            "deadlock",
            Searched(example_here("waiting", " --lost-wake-up"), pairs(callers, places)).found())
            << callers;
    }
}

TEST_P(StepsOfClients, AStepIsShownByItsNameWithWhatItSeesAndLeaves) {
    NEEDS_TOOL(GetParam().tool);
    Searched searched(example_here("waiting"), pairs(2, 1));
    const OutsideTrace trace =
        searched.search->replay(std::get<Schedule>(parse_schedule("lk1:1:s0,s1,s0,s1*2")).actions);
    const std::vector<std::string> shown = shown_steps(trace);
    ASSERT_LE(5U, shown.size());
    EXPECT_EQ("A1 acquire: take a place -> sees db absent db.asleep absent, leaves db=1, acquired",
              shown[0]);
    EXPECT_EQ("A2 acquire: take a place -> sees db=1 db.asleep absent, leaves db.asleep=true",
              shown[1]);
    EXPECT_EQ(
        "A1 release: give back -> sees db=1 db.asleep=true, leaves db=0 db.asleep absent, released",
        shown[2]);
    EXPECT_EQ("A2 acquire: sleep -> null", shown[3]);
}

// The store of the black-box level is the client's own.
TEST_P(StepsOfClients, WaitAndAreAtomicAtTheBlackBoxLevelToo) {
    NEEDS_TOOL(GetParam().tool);
    EXPECT_EQ(Passed::kName, run_black_box_of(example_here("waiting")));
}

// One operation has several atomic steps open.
TEST_P(StepsOfClients, SeveralAtomicStepsMayBeOpenAtOnce) {
    NEEDS_TOOL(GetParam().tool);
    NEEDS_TOOL("python3");
    const auto parts = [](const std::string& tool, const std::string& file_and_mode) {
        return Searched(other_child("atomic_parts." + file_and_mode, tool), pairs(2, 1), {}, 10);
    };
    const Searched all = parts(GetParam().tool, GetParam().ending + " all");
    EXPECT_EQ("nothing", all.found());
    EXPECT_TRUE(all.result.complete);
    expect_same(parts("python3", "py all").result, all.result);
    EXPECT_EQ("over-allocation", parts(GetParam().tool, GetParam().ending + " any").found());
}

TEST(StepsOfThreads, MayBeOpenAtOnce) {
    NEEDS_TOOL("python3");
    const Searched steps(other_child("atomic_parts.py threads"), pairs(2, 1), {}, 10);
    EXPECT_EQ("nothing", steps.found());
    EXPECT_TRUE(steps.result.complete);
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, StepsOfClients, all_languages(), name_of_language);

// Code that blocks its thread asks the same questions.
class StepsOfBlockingCodeIn : public ::testing::TestWithParam<const char*> {
  protected:
    [[nodiscard]] static std::string waiting(const std::string& flag = "") {
        return other_child(std::string("waiting_threads.") +
                               (GetParam() == std::string("node") ? "js" : "py") + flag,
                           GetParam());
    }
};

TEST_P(StepsOfBlockingCodeIn, AreThoseOfCoroutines) {
    NEEDS_TOOL(GetParam());
    NEEDS_TOOL("python3");
    const Searched right(waiting(), pairs(2, 1));
    EXPECT_EQ("nothing", right.found());
    EXPECT_TRUE(right.result.complete);
    expect_same(Searched(example("python3", "waiting.py"), pairs(2, 1)).result, right.result);
    EXPECT_EQ("deadlock", Searched(waiting(" --lost-wake-up"), pairs(2, 1)).found());
    EXPECT_EQ(Passed::kName, run_black_box_of(waiting()));
}

INSTANTIATE_TEST_SUITE_P(EachLanguage, StepsOfBlockingCodeIn, ::testing::Values("python3", "node"),
                         [](const auto& named) { return std::string(named.param); });

// A lease in one step: what is stored vanishes, and the step sees the clock.
TEST_P(StepsOfClients, AnAtomicStepSetsAnEndAndSeesTheClock) {
    NEEDS_TOOL(GetParam().tool);
    OutsideWorld world = pairs(2, 1);
    world.ticks_max = 2;
    world.world.crashes_max = 1;
    const auto lease = [](const std::string& flag) {
        return other_child("atomic_lease." + GetParam().ending + flag, GetParam().tool);
    };
    const Searched right(lease(" right"), world);
    EXPECT_EQ("nothing", right.found());
    EXPECT_TRUE(right.result.complete);
    EXPECT_EQ("leak", Searched(lease(" endless"), world).found());
}

}  // namespace
}  // namespace lockkeeper
