// SPDX-License-Identifier: Apache-2.0

// `validate --program` as a command: verdicts, exit codes, replay lines, JSON.
#include "app/command_test.hpp"
#include "app/session.hpp"
#include "model/missing_test.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kProgramExamples = std::string(LOCKKEEPER_SOURCE_DIR) + "/examples/outside/";
const std::string kDirectory =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/validate/programs/test_children/";
const std::string kChild = "python3 " + kDirectory + "child.py ";

Ran validate_program(const std::string& program, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"validate", "--program", program});
    return run(more);
}

TEST(ValidateProgram, ALostUpdateIsFoundAndReplays) {
    NEEDS_TOOL("python3");
    const std::string program = "python3 " + kProgramExamples + "counter.py";
    const Ran ran = validate_program(program, {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P1 over-allocation in 4 steps")) << ran.out;
    const std::size_t at = ran.out.find("lk1:1:");
    ASSERT_NE(std::string::npos, at);
    const std::string line = ran.out.substr(at, ran.out.find('\'', at) - at);
    const Ran again = validate_program(program, {"built-in:two-callers", "--replay-choices", line});
    EXPECT_EQ(kExitViolated, again.exit_code);
    EXPECT_TRUE(contains(again.out, "verdict: violated: P1 over-allocation")) << again.out;
    const Ran other =
        validate_program(program, {"built-in:two-callers", "--replay-choices", "lk1:1:s0,x1"});
    EXPECT_EQ(kExitDiverged, other.exit_code) << other.out;
}

TEST(ValidateProgram, EverythingIsLookedAtWhereTheProgramIsStateless) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program("python3 " + kProgramExamples + "counter.py --atomic", {"-q"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "scope: complete: 3 callers")) << ran.out;
}

// No scenario is named: one run shows that grants have an end, and how long they last.
TEST(ValidateProgram, LocksWithATimeLimitGetTheScenariosForThem) {
    NEEDS_TOOL("python3");
    const std::string lock = "python3 " + kProgramExamples + "set_nx_px.py";
    const Ran right = validate_program(
        lock, {"-q", "--schedules", std::to_string(testing_model::random_cases(100))});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    for (const char* name : {"lease-expiry", "lease-renewal", "lease-pause", "lease-crash"}) {
        EXPECT_TRUE(contains(right.out, std::string("built-in:") + name)) << right.out;
    }
    EXPECT_FALSE(contains(right.out, "two-callers")) << right.out;
    const std::pair<const char*, const char*> found_by[] = {{" --plain-delete", "lease-expiry"},
                                                            {" --renew-anybody", "lease-renewal"},
                                                            {" --late-clock", "lease-pause"},
                                                            {" --two-steps", "lease-crash"}};
    for (const auto& [flag, name] : found_by) {
        const Ran wrong = validate_program(lock + flag, {std::string("built-in:") + name, "-q"});
        EXPECT_EQ(kExitViolated, wrong.exit_code) << flag << wrong.out << wrong.err;
    }
}

// A minute in milliseconds: a tick of the scenarios is half of it.
TEST(ValidateProgram, ALeaseOfAnyLengthComesToItsEnd) {
    NEEDS_TOOL("python3");
    const std::string lock = "python3 " + kProgramExamples + "set_nx_px.py";
    const Ran right = validate_program(
        lock, {"built-in:lease-pause", "-q", "--set", "ttl=60000", "--schedules", "100"});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "2 ticks of the clock of 30,000")) << right.out;
    EXPECT_FALSE(contains(right.out, "cut at the clock's end")) << right.out;
    const Ran wrong = validate_program(lock + " --plain-delete",
                                       {"built-in:lease-expiry", "-q", "--set", "ttl=60000"});
    EXPECT_EQ(kExitViolated, wrong.exit_code) << wrong.out << wrong.err;
}

// A mutex is no limiter that leaks; a limiter is judged as one, unless it is known by nothing.
TEST(ValidateProgram, AMutexIsNotAskedForTwoPlaces) {
    NEEDS_TOOL("python3");
    const std::string mutex = "python3 " + kDirectory + "mutex.py";
    const Ran right = validate_program(mutex, {"-q"});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
    EXPECT_TRUE(contains(right.out, "built-in:three-callers-one-place: passed")) << right.out;
    EXPECT_TRUE(contains(right.err, "built-in:three-callers: left out")) << right.err;
    const Ran named = validate_program(mutex, {"built-in:three-callers", "-q"});
    EXPECT_EQ(kExitViolated, named.exit_code) << named.out << named.err;
    const Ran wrong = validate_program(mutex + " --any-release", {"-q"});
    EXPECT_EQ(kExitViolated, wrong.exit_code) << wrong.out << wrong.err;
    const Ran limiter =
        validate_program("python3 " + kProgramExamples + "counter.py --atomic", {"-q"});
    EXPECT_FALSE(contains(limiter.out, "three-callers-one-place")) << limiter.out;
}

TEST(ValidateProgram, ALockThatDoesNotKnowRenewIsNotAskedTo) {
    NEEDS_TOOL("python3");
    const Ran ran =
        validate_program("python3 " + kDirectory + "no_renewal.py",
                         {"-q", "--schedules", std::to_string(testing_model::random_cases(300))});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.err, "built-in:lease-renewal: left out")) << ran.err;
    EXPECT_FALSE(contains(ran.out, "lease-renewal")) << ran.out;
}

TEST(ValidateProgram, TimeThatCannotPassIsInconclusive) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program("python3 " + kProgramExamples + "set_nx_px.py",
                                     {"built-in:two-callers", "-q"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.out,
                         "verdict: inconclusive: time matters (a grant carried until) but "
                         "cannot pass (0 ticks); not judged: P1 over-allocation"))
        << ran.out;
}

TEST(ValidateProgram, ErrorsThroughoutAreInconclusive) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program(
        "python3 " + kDirectory + "leased.py errors",
        {"built-in:two-callers", "-q", "--check", "over-allocation", "--format", "json"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.out, "nothing was ever granted: 0 grants")) << ran.out;
    EXPECT_TRUE(contains(ran.out, R"("grants": 0)")) << ran.out;
    EXPECT_TRUE(contains(ran.out, R"("why": "nothing was acquired")")) << ran.out;
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "result.schema.json"));
}

// A finding counts only when it happens again, whatever the seed of the program's own chance.
TEST(ValidateProgram, AProgramThatIsNotDeterministicIsCalledSo) {
    NEEDS_TOOL("python3");
    for (const char* mode : {"random", "lucky", "dies-by-luck"}) {
        const Ran ran = validate_program("python3 " + kDirectory + "leased.py " + mode,
                                         {"built-in:two-callers", "-q"});
        EXPECT_EQ(kExitDiverged, ran.exit_code) << mode << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "verdict: not deterministic: ")) << mode << ran.out;
    }
}

TEST(ValidateProgram, ALockThatAdmitsEverybodyIsShownByTwoCallers) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program("python3 " + kDirectory + "leased.py admits",
                                     {"built-in:two-callers", "-q"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P1 over-allocation in 2 steps")) << ran.out;
}

TEST(ValidateProgram, TheJsonKeepsToTheSchema) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program("python3 " + kProgramExamples + "counter.py",
                                     {"built-in:two-callers", "--format", "json"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "over-allocation"));
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "result.schema.json"));
}

TEST(ValidateProgram, MisbehaviourIsAVerdictWithTheLastWords) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program(kChild + "dies", {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: misbehaved: died: ended with exit status 3"))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "the reason stands here")) << ran.out;
}

class ValidateProgramTrace : public testing_app::WithFiles {};

TEST_F(ValidateProgramTrace, AGoalThatIsNotReachedIsNoPass) {
    NEEDS_TOOL("python3");
    const auto scenario = [&](const std::string& goals) {
        return write("goals.json", R"({"version": 1, "system": "program", "reach": [)" + goals +
                                       R"(], "callers": [{"script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})");
    };
    const std::string stepped = "python3 " + kProgramExamples + "counter.py --atomic";
    const std::string recorded = "python3 " + kDirectory + "token_locks.py up";
    for (const auto& [lock, level] :
         {std::pair{stepped, "--level=stepped"}, {recorded, "--level=black-box"}}) {
        const Ran reached =
            validate_program(lock, {scenario(R"("acquired", "released")"), "-q", level});
        EXPECT_EQ(kExitPassed, reached.exit_code) << reached.out << reached.err;
        EXPECT_TRUE(contains(reached.out, "goals reached           acquired, released"))
            << reached.out;
        const Ran missed = validate_program(lock, {scenario(R"("acquired", "full")"), "-q", level});
        EXPECT_EQ(kExitViolated, missed.exit_code) << missed.out;
        EXPECT_TRUE(contains(missed.out, "verdict: unreached: goal full")) << missed.out;
        const Ran unseen = validate_program(lock, {scenario(R"("marked-full")"), "-q", level});
        EXPECT_EQ(kExitPassed, unseen.exit_code) << unseen.out;
        EXPECT_TRUE(contains(unseen.err, "cannot be seen from outside: marked-full")) << unseen.err;
    }
}

TEST_F(ValidateProgramTrace, IsWrittenAndReplaysWithItsStepsCompared) {
    NEEDS_TOOL("python3");
    const std::string program = "python3 " + kProgramExamples + "counter.py";
    const Ran found = validate_program(program, {"built-in:two-callers", "--out", path("out")});
    EXPECT_EQ(kExitViolated, found.exit_code) << found.err;
    const auto files = find_files({path("out")}, FileKind::kTraces);
    ASSERT_EQ(1U, files.size()) << found.out;
    const std::string& trace = files.front().path;
    EXPECT_TRUE(contains(found.out, "written: " + trace)) << found.out;
    EXPECT_EQ("", testing_scenarios::report_complaint(testing_app::read_whole(trace),
                                                      "trace.schema.json"));
    const Ran again = validate_program(program, {trace});
    EXPECT_EQ(kExitViolated, again.exit_code) << again.out << again.err;
    EXPECT_TRUE(contains(again.out, "verdict: violated: P1 over-allocation in 4 steps"))
        << again.out;
    const Ran other = validate_program(program + " --atomic", {trace});
    EXPECT_EQ(kExitDiverged, other.exit_code) << other.out << other.err;
    EXPECT_TRUE(contains(other.out, "diverged: step 1: recorded \"A1 acquire: read db"))
        << other.out;
    expect_one_line(validate_program(program, {trace, "--replay-choices", "lk1:1:s0"}),
                    "a trace has its own choices");
    expect_one_line(validate_program(program, {trace, "--level", "black-box"}),
                    "replayed step by step");
}

TEST(ValidateProgram, AnUnknownBuiltInScenarioIsAnsweredWithTheNearest) {
    const Ran ran = validate_program("true", {"built-in:two-caller"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran,
                    "there is no built-in scenario \"built-in:two-caller\"; did you mean "
                    "\"built-in:two-callers\"?");
}

TEST(ValidateProgram, ACommandThatDoesNotExistIsBadInput) {
    const Ran ran = validate_program("no-such-command-anywhere", {"built-in:two-callers"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "cannot be started");
}

TEST(ValidateProgram, WhatACommandSaidThatEndedAtOnceIsInTheError) {
    for (const char* level : {"stepped", "black-box"}) {
        const Ran ran = validate_program("sh -c 'echo no module named x >&2; exit 3'",
                                         {"built-in:two-callers", "--level", level});
        EXPECT_EQ(kExitInput, ran.exit_code);
        expect_one_line(ran, "exit status 3; it said \"no module named x\"");
    }
}

TEST(ValidateProgram, WhatCannotBeAskedOfAProgramIsRefused) {
    EXPECT_EQ(kExitUsage, validate_program("x", {"--level", "grey-box"}).exit_code);
    EXPECT_EQ(kExitUsage, validate_program("x", {"--answer-time", "soon"}).exit_code);
    EXPECT_EQ(kExitUsage, validate_program("x", {"--process-per-caller"}).exit_code);
    EXPECT_EQ(kExitUsage, validate_program("x", {"--recovery-time", "1s"}).exit_code);
    EXPECT_EQ(kExitUsage, validate_program("x", {"--replay-choices", "lk1:1:s0"}).exit_code);
    const Ran tick = validate_program("x", {"built-in:two-callers", "--set", "tick=0"});
    EXPECT_EQ(kExitUsage, tick.exit_code);
    expect_one_line(tick, "--set: tick: expected a number from 1 on, found 0");
    const Ran ran = validate_program("x", {std::string(LOCKKEEPER_SOURCE_DIR) +
                                           "/scenarios/leases/given/db_crash_anywhere.json"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "a program can meet");
}

// The program hangs, and a line may take ten seconds: only the limit can end it.
TEST(ValidateProgram, ATimeLimitEndsARunInItsMiddleWithoutAVerdict) {
    NEEDS_TOOL("python3");
    for (const char* level : {"stepped", "black-box"}) {
        const Ran ran =
            validate_program(kChild + "hangs", {"built-in:two-callers", "--level", level,
                                                "--schedules", "1", "--time-limit", "300ms"});
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "verdict: inconclusive: ended by limit: time")) << ran.out;
    }
    const Ran replay = validate_program(
        kChild + "hangs",
        {"built-in:two-callers", "--replay-choices", "lk1:1:s0", "--time-limit", "300ms"});
    EXPECT_EQ(kExitInconclusive, replay.exit_code) << replay.out << replay.err;
    EXPECT_TRUE(contains(replay.out, "verdict: inconclusive: ended by limit: time")) << replay.out;
}

TEST(ValidateProgram, ARecordedHistoryIsJudgedByItsModel) {
    NEEDS_TOOL("node");
    const Ran ran = validate_program(
        "node " + kProgramExamples + "canal.js",
        {kProgramExamples + "two_callers.json", "--level", "black-box", "--schedules", "2"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "judged as semaphore:2")) << ran.out;
}

// Refusals judged: an acquire of an empty store that answers "full" is a violation.
TEST(ValidateProgram, TheClientInPythonKeepsItsStoreAtTheBlackBoxLevel) {
    NEEDS_TOOL("python3");
    const Ran ran =
        validate_program("python3 " + kProgramExamples + "canal.py",
                         {kProgramExamples + "two_callers.json", "--level", "black-box",
                          "--schedules", "3", "--model", "semaphore:2,refusals=judged"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_FALSE(contains(ran.out, " 0 granted")) << ran.out;
}

TEST(ValidateProgram, ALockThatIsNeverGrantedHasNotPassed) {
    NEEDS_TOOL("python3");
    const auto refusing = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"built-in:two-callers", "--level", "black-box"});
        return validate_program(kChild + "refuses", more);
    };
    const Ran ran = refusing({"--schedules", "2"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "violated: P3 under-allocation: acquire of ")) << ran.out;
    const Ran leak = refusing({"--schedules", "2", "--check", "leak"});
    EXPECT_EQ(kExitInconclusive, leak.exit_code) << leak.out << leak.err;
    EXPECT_TRUE(contains(leak.out, "inconclusive: nothing was ever granted: 0 grants, 8 refusals"))
        << leak.out;
    const Ran json = refusing({"--schedules", "1", "--format", "json"});
    EXPECT_TRUE(contains(json.out, "\"refusals\": 4")) << json.out;
    EXPECT_EQ("", testing_scenarios::report_complaint(json.out, "result.schema.json"));
}

// Uncontended acquires are granted, and a client that raises at all others keeps no promise.
TEST_F(ValidateProgramTrace, AClientThatRaisesWheneverItIsContendedHasNotPassed) {
    NEEDS_TOOL("python3");
    const std::string scenario = write("contended.json", R"({"version": 1, "system": "program",
        "callers": [{"name": "A", "count": 2, "script": [{"acquire": {"key": "db"}}]}]})");
    const std::string child = std::string("python3 ") + LOCKKEEPER_SOURCE_DIR +
                              "/validate/programs/test_children/until_locks.py ";
    const Ran ran =
        validate_program(child + "raises", {scenario, "--level", "black-box", "--schedules", "4"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "inconclusive: contention was never judged")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "4 grants, 0 refusals, 0 errors, 4 indefinite answers"))
        << ran.out;
}

// Both levels say the same of an answer that is definite and no refusal.
TEST_F(ValidateProgramTrace, AClientThatAbortsWheneverItIsContendedHasNotPassed) {
    NEEDS_TOOL("python3");
    const std::string scenario = write("aborts.json", R"({"version": 1, "system": "program",
        "callers": [{"name": "A", "count": 2, "script": [{"acquire": {"key": "db"}}]}]})");
    const std::string children =
        std::string("python3 ") + LOCKKEEPER_SOURCE_DIR + "/validate/programs/test_children/";
    for (const Ran& ran :
         {validate_program(children + "leased.py aborts", {scenario}),
          validate_program(children + "until_locks.py aborts",
                           {scenario, "--level", "black-box", "--schedules", "4"})}) {
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "inconclusive: contention was never judged: all "))
            << ran.out;
        EXPECT_TRUE(contains(ran.out, " ended in an error that is no refusal (")) << ran.out;
        EXPECT_TRUE(contains(ran.out, " grants, 0 refusals, ")) << ran.out;
    }
    // One place, whatever the code: what is asked for two is not judged as a lock of two.
    const Ran unnamed = validate_program(children + "leased.py aborts", {});
    EXPECT_EQ(kExitInconclusive, unnamed.exit_code) << unnamed.out << unnamed.err;
    EXPECT_TRUE(contains(unnamed.out, "built-in:three-callers-one-place")) << unnamed.out;
}

// The report prints what shows the leak, with the records marked.
TEST_F(ValidateProgramTrace, AKilledHoldersFileIsALeakThatTheHistoryShows) {
    NEEDS_TOOL("python3");
    const std::string text = R"({"version": 1, "system": "program", "callers":
        [{"name": "A", "count": 2, "repeat": 2, "script": [{"acquire": {"key": "db"}},
                                                           {"release": {"key": "db"}}]}],
        "faults": {"crashes": 1}, "parameters": {"crash_takes": ")";
    const std::string command = std::string("python3 ") + LOCKKEEPER_SOURCE_DIR +
                                "/validate/programs/test_children/file_locks.py file-is-there";
    const auto with = [&](const std::string& takes, const char* schedules) {
        return validate_program(
            command, {"--level", "black-box", "--schedules", schedules, "--recovery-time", "300ms",
                      "--process-per-caller", write(takes + ".json", text + takes + "\"}}")});
    };
    const Ran leaks = with("locks", "60");  // not every crash meets a holder
    EXPECT_EQ(kExitViolated, leaks.exit_code) << leaks.out << leaks.err;
    EXPECT_TRUE(contains(leaks.out, "verdict: violated: P2 leak: key db")) << leaks.out;
    EXPECT_TRUE(contains(leaks.out, "never released: A")) << leaks.out;
    EXPECT_TRUE(contains(leaks.out, "\n! ")) << leaks.out;
    EXPECT_EQ(kExitPassed, with("callers", "4").exit_code);
    EXPECT_EQ(kExitInput, with("everything", "1").exit_code);
}

TEST(ValidateProgram, ALeaseAsShortAsTheClocksErrorIsNotJudgedAtTheBlackBoxLevel) {
    const Ran ran =
        validate_program("true", {kProgramExamples + "renewal.json", "--level", "black-box"});
    EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
    expect_one_line(ran, "/parameters/ttl: ");
}

TEST(ValidateProgram, AProgramThatEndsBeforeItsFirstStepIsShownAtOnce) {
    NEEDS_TOOL("python3");
    const Ran ran = validate_program(kChild + "ends-on-reset", {"built-in:two-callers"});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: violated: misbehaved: died")) << ran.out;
}

}  // namespace
}  // namespace lockkeeper
