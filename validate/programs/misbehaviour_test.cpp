// SPDX-License-Identifier: Apache-2.0

// Every way in which a program can be wrong is a verdict of its own.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

struct Case {
    const char* mode;
    const char* verdict;
};

class MisbehavingPrograms : public ::testing::TestWithParam<Case> {};

TEST_P(MisbehavingPrograms, GetAVerdict) {
    NEEDS_TOOL("python3");
    const Searched searched(child(GetParam().mode), pairs(2, 1));
    EXPECT_EQ(GetParam().verdict, searched.found())
        << (searched.result.finding ? searched.result.finding->detail : searched.result.diverged);
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, MisbehavingPrograms,
    ::testing::Values(
        Case{"dies", "died"}, Case{"is-killed", "died"}, Case{"long-line", "flooded"},
        Case{"floods", "talked nonsense"}, Case{"floods-stderr", "flooded"},
        Case{"no-json", "talked nonsense"}, Case{"no-object", "talked nonsense"},
        Case{"deep", "talked nonsense"}, Case{"unknown-type", "talked nonsense"},
        Case{"unknown-key", "talked nonsense"}, Case{"wrong-caller", "talked nonsense"},
        Case{"wrong-answer", "talked nonsense"}, Case{"wrong-id", "answered wrongly"},
        Case{"wrong-op", "answered wrongly"}, Case{"extra-line", "answered wrongly"},
        Case{"closes-stdout", "died"}, Case{"closes-stdin", "stopped listening"},
        Case{"deadlock", "deadlock"}, Case{"crashes", "caller-death"},
        Case{"grants", "over-allocation"}, Case{"grandchild", "over-allocation"},
        Case{"refuses", "under-allocation"}, Case{"atomic", "over-allocation"},
        Case{"atomic-without-commit", "talked nonsense"},
        Case{"atomic-of-another", "answered wrongly"}, Case{"atomic-is-all", "talked nonsense"},
        Case{"atomic-elsewhere", "talked nonsense"}, Case{"commit-alone", "talked nonsense"}),
    [](const auto& named) {
        std::string name = named.param.mode;
        std::replace(name.begin(), name.end(), '-', '_');
        return name;
    });

// Nothing is judged but that nobody waits for ever: what remains is the comparison of repeated
// steps.
TEST(MisbehavingProgram, ThatAsksOtherwiseTheSecondTimeHasDiverged) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    world.check = {find_property("deadlock")};
    EXPECT_EQ("diverged", Searched(child("random"), world).found());
    EXPECT_EQ("diverged", Searched(child("forgets-reset"), world).found());
}

// The verdict itself is a time-out here.
TEST(MisbehavingProgram, ThatHangsIsNotWaitedForLongerThanALineMayTake) {
    NEEDS_TOOL("python3");
    const Searched searched(child("hangs"), pairs(1, 1), {}, 2);
    EXPECT_EQ("hung", searched.found());
}

// The run is shown up to where it hangs: the step itself is not taken again.
TEST(MisbehavingProgram, ThatHangsIsWaitedForOnce) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = pairs(1, 1);
    ProgramOptions options = options_for(child("hangs"), world);
    options.answer_seconds = 2;
    int acquires = 0;
    options.on_line = [&](const std::string& line) {
        acquires += line.find("\"type\":\"acquire\"") != std::string::npos ? 1 : 0;
    };
    Program program(options);
    SteppedSearch search(program, world, {});
    const OutsideResult result = search.search();
    ASSERT_TRUE(result.finding);
    EXPECT_EQ(acquires, 1);
    const OutsideTrace trace = search.show(search.shrink(*result.finding));
    EXPECT_EQ(acquires, 1);
    EXPECT_EQ(trace.misbehaviour, Misbehaviour::kHung);
    ASSERT_EQ(trace.steps.size(), 1U);
    EXPECT_EQ(trace.steps.back().text, "(it fails in this step)");
}

Misbehaviour kind_at_start(const std::string& command, double seconds = 60) {
    try {
        const Searched searched(command, pairs(1, 1), {}, seconds);
        return searched.result.finding ? searched.result.finding->misbehaviour.value()
                                       : Misbehaviour::kNonsense;
    } catch (const Misbehaved& error) {
        return error.kind();
    }
}

TEST(MisbehavingProgram, ThatDoesNotComeUpIsNoVerdictOnALock) {
    NEEDS_TOOL("python3");
    EXPECT_EQ(Misbehaviour::kCannotStart, kind_at_start("no-such-command-anywhere"));
    EXPECT_EQ(Misbehaviour::kCannotStart, kind_at_start("exit 0"));
    EXPECT_EQ(Misbehaviour::kCannotStart, kind_at_start(child("exits-at-init")));
    EXPECT_EQ(Misbehaviour::kCannotStart, kind_at_start(child("refuses-init")));
    EXPECT_EQ(Misbehaviour::kNotSupported, kind_at_start(child("not-supported")));
    EXPECT_EQ(Misbehaviour::kScriptError, kind_at_start(child("fails")));
    EXPECT_EQ(Misbehaviour::kHung, kind_at_start(child("hangs-at-init"), 1));
}

TEST(MisbehavingProgram, SaysItsLastWords) {
    NEEDS_TOOL("python3");
    const Searched searched(child("dies"), pairs(1, 1));
    EXPECT_EQ("the reason stands here\n", searched.program->last_words());
    EXPECT_EQ("ended with exit status 3", searched.result.finding->detail);
}

}  // namespace
}  // namespace lockkeeper
