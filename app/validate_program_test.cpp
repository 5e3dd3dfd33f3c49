// `validate --program` as a command: verdicts, exit codes, replay lines, JSON.
#include "app/command_test.hpp"
#include "app/session.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

#define NEEDS_TOOL(name)                                               \
    if (system("command -v " name " > /dev/null 2>&1") != 0) {         \
        GTEST_SKIP() << (name) << " is not installed on this machine"; \
    }                                                                  \
    static_assert(true)

const std::string kExamples = std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/outside/";
const std::string kChild =
    std::string("python3 ") + LOCKKEEPER_SOURCE_DIR + "/outside/test_children/child.py ";

Ran validate(const std::string& program, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"validate", "--program", program});
    return run(more);
}

TEST(ValidateProgram, ALostUpdateIsFoundAndReplays) {
    NEEDS_TOOL("python3");
    const std::string program = "python3 " + kExamples + "counter.py";
    const Ran ran = validate(program, {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P1 over-allocation in 4 steps")) << ran.out;
    const std::size_t at = ran.out.find("lk1:1:");
    ASSERT_NE(std::string::npos, at);
    const std::string line = ran.out.substr(at, ran.out.find('\'', at) - at);
    const Ran again = validate(program, {"built-in:two-callers", "--replay-choices", line});
    EXPECT_EQ(kExitViolated, again.exit_code);
    EXPECT_TRUE(contains(again.out, "verdict: violated: P1 over-allocation")) << again.out;
    const Ran other =
        validate(program, {"built-in:two-callers", "--replay-choices", "lk1:1:s0,x1"});
    EXPECT_EQ(kExitDiverged, other.exit_code) << other.out;
}

TEST(ValidateProgram, EverythingIsLookedAtWhereTheProgramIsStateless) {
    NEEDS_TOOL("python3");
    const Ran ran = validate("python3 " + kExamples + "counter.py --atomic", {"-q"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "scope: complete: 3 callers")) << ran.out;
}

TEST(ValidateProgram, TheJsonKeepsToTheSchema) {
    NEEDS_TOOL("python3");
    const Ran ran = validate("python3 " + kExamples + "counter.py",
                             {"built-in:two-callers", "--format", "json"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "over-allocation"));
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "result.schema.json"));
}

TEST(ValidateProgram, MisbehaviourIsAVerdictWithTheLastWords) {
    NEEDS_TOOL("python3");
    const Ran ran = validate(kChild + "dies", {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: misbehaved: died: ended with exit status 3"))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "the reason stands here")) << ran.out;
}

class ValidateProgramTrace : public testing_app::WithFiles {};

TEST_F(ValidateProgramTrace, IsWrittenAndReplaysWithItsStepsCompared) {
    NEEDS_TOOL("python3");
    const std::string program = "python3 " + kExamples + "counter.py";
    const Ran found = validate(program, {"built-in:two-callers", "--out", path("out")});
    EXPECT_EQ(kExitViolated, found.exit_code) << found.err;
    const auto files = find_files({path("out")}, FileKind::kTraces);
    ASSERT_EQ(1U, files.size()) << found.out;
    const std::string& trace = files.front().path;
    EXPECT_TRUE(contains(found.out, "written: " + trace)) << found.out;
    EXPECT_EQ("", testing_scenarios::report_complaint(testing_app::read_whole(trace),
                                                      "trace.schema.json"));
    const Ran again = validate(program, {trace});
    EXPECT_EQ(kExitViolated, again.exit_code) << again.out << again.err;
    EXPECT_TRUE(contains(again.out, "verdict: violated: P1 over-allocation in 4 steps"))
        << again.out;
    const Ran other = validate(program + " --atomic", {trace});
    EXPECT_EQ(kExitDiverged, other.exit_code) << other.out << other.err;
    EXPECT_TRUE(contains(other.out, "diverged: step 1: recorded \"A1 acquire: read db"))
        << other.out;
    expect_one_line(validate(program, {trace, "--replay-choices", "lk1:1:s0"}),
                    "a trace has its own choices");
    expect_one_line(validate(program, {trace, "--level", "black-box"}), "replayed step by step");
}

TEST(ValidateProgram, ACommandThatDoesNotExistIsBadInput) {
    const Ran ran = validate("no-such-command-anywhere", {"built-in:two-callers"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "cannot be started");
}

TEST(ValidateProgram, WhatCannotBeAskedOfAProgramIsRefused) {
    EXPECT_EQ(kExitUsage, validate("x", {"--level", "grey-box"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--answer-time", "soon"}).exit_code);
    EXPECT_EQ(kExitUsage, validate("x", {"--replay-choices", "lk1:1:s0"}).exit_code);
    const Ran ran = validate("x", {std::string(LOCKKEEPER_SOURCE_DIR) +
                                   "/scenarios/leases/given/db_crash_anywhere.json"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "a program can meet");
}

// The program hangs, and a line may take ten seconds: only the limit can end it.
TEST(ValidateProgram, ATimeLimitEndsARunInItsMiddleWithoutAVerdict) {
    NEEDS_TOOL("python3");
    for (const char* level : {"stepped", "black-box"}) {
        const Ran ran = validate(kChild + "hangs", {"built-in:two-callers", "--level", level,
                                                    "--schedules", "1", "--time-limit", "300ms"});
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "verdict: inconclusive: ended by limit: time")) << ran.out;
    }
    const Ran replay = validate(kChild + "hangs", {"built-in:two-callers", "--replay-choices",
                                                   "lk1:1:s0", "--time-limit", "300ms"});
    EXPECT_EQ(kExitInconclusive, replay.exit_code) << replay.out << replay.err;
    EXPECT_TRUE(contains(replay.out, "verdict: inconclusive: ended by limit: time")) << replay.out;
}

TEST(ValidateProgram, ARecordedHistoryIsJudgedByItsModel) {
    NEEDS_TOOL("node");
    const Ran ran =
        validate("node " + kExamples + "canal.js",
                 {kExamples + "two_callers.json", "--level", "black-box", "--schedules", "2"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "judged as semaphore:2")) << ran.out;
}

// Refusals judged: an acquire of an empty store that answers "full" is a violation.
TEST(ValidateProgram, TheClientInPythonKeepsItsStoreAtTheBlackBoxLevel) {
    NEEDS_TOOL("python3");
    const Ran ran = validate("python3 " + kExamples + "canal.py",
                             {kExamples + "two_callers.json", "--level", "black-box", "--schedules",
                              "3", "--model", "semaphore:2,refusals=judged"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_FALSE(contains(ran.out, " 0 granted")) << ran.out;
}

TEST(ValidateProgram, ALockThatIsNeverGrantedHasNotPassed) {
    NEEDS_TOOL("python3");
    const Ran ran = validate(kChild + "refuses",
                             {"built-in:two-callers", "--level", "black-box", "--schedules", "2"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "every acquire was refused")) << ran.out;
}

TEST(ValidateProgram, ALeaseAsShortAsTheClocksErrorIsNotJudgedAtTheBlackBoxLevel) {
    const Ran ran = validate("true", {kExamples + "renewal.json", "--level", "black-box"});
    EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
    expect_one_line(ran, "/parameters/ttl: ");
}

TEST(ValidateProgram, AProgramThatEndsBeforeItsFirstStepIsShownAtOnce) {
    NEEDS_TOOL("python3");
    const Ran ran = validate(kChild + "ends-on-reset", {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: misbehaved: died")) << ran.out;
}

}  // namespace
}  // namespace lockkeeper
