// SPDX-License-Identifier: Apache-2.0

// `validate --history`: what it prints, its exit codes; our own runs judged by the same models.

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kExamples = LOCKKEEPER_SOURCE_DIR "/examples/histories/";

Ran validated(const std::string& file, const std::string& model,
              const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"validate", "--history", file, "--model", model};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
}

TEST(ValidateHistory, AViolatedHistoryIsExplained) {
    const Ran ran = validated(kExamples + "mutex_bad.jsonl", "mutex");
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "model mutex  scope: 8 records\n")) << ran.out;
    EXPECT_TRUE(contains(ran.out,
                         "longest prefix that can be explained: 1 operation, placed in this order\n"
                         "     1  acquire by 0 (line 1)\n"
                         "cannot be placed: acquire by 1 (line 3), which ended in line 4\n"
                         "reason: the mutex is held\n"
                         "holds at that moment: 0 (line 1)\n"))
        << ran.out;
    EXPECT_TRUE(
        contains(ran.out, "tightest contract satisfied: at most 1 too many, for at most 10\n"))
        << ran.out;
    EXPECT_TRUE(contains(ran.out, "\nverdict: violated\nscope: complete: 4 operations, "))
        << ran.out;
}

TEST(ValidateHistory, ExitCodesSayTheVerdict) {
    EXPECT_EQ(kExitPassed, validated(kExamples + "mutex_good.jsonl", "mutex").exit_code);
    EXPECT_EQ(kExitViolated, validated(kExamples + "jepsen_lock.edn", "mutex").exit_code);
    const Ran missing = validated("/nowhere.jsonl", "mutex");
    EXPECT_EQ(kExitInput, missing.exit_code);
    expect_one_line(missing, "/nowhere.jsonl: cannot be opened: No such file or directory");
    const Ran unknown = validated(kExamples + "mutex_good.jsonl", "mutx");
    EXPECT_EQ(kExitUsage, unknown.exit_code);
    EXPECT_TRUE(contains(unknown.err, "unknown model \"mutx\"; did you mean \"mutex\"?"))
        << unknown.err;
    EXPECT_EQ(kExitUsage, run({"validate", "--history", kExamples + "mutex_good.jsonl"}).exit_code);
}

class DamagedHistory : public WithFiles {};

TEST_F(DamagedHistory, IsRefusedWithItsPlaceAndTheWordThatWasMeant) {
    const std::string good = R"({"process":0,"type":"invoke","f":"acquire"})";
    const auto refused = [&](const std::string& line) {
        const Ran ran = validated(write("h.jsonl", good + "\n" + line + "\n"), "mutex");
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
        return ran.err;
    };
    EXPECT_TRUE(
        contains(refused(std::string("{\"process\":1\0}", 14)), "h.jsonl:2:13: a NUL byte"));
    EXPECT_TRUE(contains(refused(R"({"process":1,"type":"invok","f":"acquire"})"),
                         "h.jsonl:2:21: \"type\" is invoke, ok, fail or info, not \"invok\"; did "
                         "you mean \"invoke\"?"));
    EXPECT_TRUE(contains(refused(R"({"process":1,"type":"invoke","f":"aquire"})"),
                         "; did you mean \"acquire\"?"));
    EXPECT_TRUE(contains(validated(path("h.jsonl"), "semaphore:permit=2").err,
                         "semaphore: has no parameter \"permit\"; did you mean \"permits\"?"));
}

TEST(ValidateHistory, TheJsonDocumentKeepsToItsSchema) {
    for (const char* file : {"mutex_good.jsonl", "mutex_bad.jsonl"}) {
        const Ran ran = validated(kExamples + file, "mutex", {"--format", "json"});
        EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "history.schema.json"));
        const auto json = nlohmann::json::parse(ran.out);
        EXPECT_EQ(ran.exit_code, json["exit_code"]);
        EXPECT_EQ(6U, json["ladder"].size());
    }
}

TEST(ValidateHistory, LogsOfWorkersAreRefusedOrSortedByTime) {
    const std::string logs = kExamples + "worker_logs.jsonl";
    const Ran refused = validated(logs, "mutex");
    EXPECT_EQ(kExitInput, refused.exit_code);
    EXPECT_TRUE(contains(refused.err,
                         ":5:1: time falls by 310, from 510 in line 4 to 200 in line "
                         "5; --clock-tolerance allows 0; "))
        << refused.err;
    const Ran sorted = validated(logs, "mutex", {"--sort-by-time"});
    EXPECT_EQ(kExitViolated, sorted.exit_code) << sorted.err;
    EXPECT_TRUE(contains(sorted.out, " --model mutex --sort-by-time\n")) << sorted.out;
    const Ran tolerant = validated(logs, "mutex", {"--clock-tolerance", "310"});
    EXPECT_EQ(kExitPassed, tolerant.exit_code) << tolerant.err;
    EXPECT_TRUE(contains(tolerant.out, "are taken for concurrent\n")) << tolerant.out;
    EXPECT_EQ(
        kExitPassed,
        validated(logs, "mutex", {"--clock-tolerance", "310ms", "--time-unit", "ms"}).exit_code);
    EXPECT_EQ(
        kExitInput,
        validated(logs, "mutex", {"--clock-tolerance", "5ms", "--time-unit", "ms"}).exit_code);
    const Ran unknown = validated(logs, "mutex", {"--clock-tolerance", "310ms"});
    EXPECT_EQ(kExitInput, unknown.exit_code);
    EXPECT_TRUE(contains(unknown.err, "--time-unit")) << unknown.err;
    for (const char* wrong : {"-1", "5 parsecs", ""}) {
        EXPECT_EQ(kExitUsage, validated(logs, "mutex", {"--clock-tolerance", wrong}).exit_code);
    }
    EXPECT_EQ(kExitUsage,
              run({"validate", "--against", "canal/repaired", "--sort-by-time"}).exit_code);
}

TEST_F(DamagedHistory, IsNotOneThatIsEmpty) {
    const Ran ran = validated(write("h.json", "[]"), "mutex");
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "scope: 0 records")) << ran.out;
}

TEST_F(DamagedHistory, IsNotOneWithIsoTimesAndAUnit) {
    const auto at = [](const char* process, const char* type, const char* time) {
        return std::string(R"({"process":)") + process + R"(,"type":")" + type +
               R"(","f":"acquire","time":"2026-03-01T12:00:00.)" + time + "\"}\n";
    };
    const std::string file =
        write("h.jsonl", at("0", "invoke", "1Z") + at("0", "ok", "1Z") + at("1", "invoke", "14Z") +
                             at("1", "ok", "149999Z"));
    const Ran unsaid = validated(file, "lease:ttl=50");
    EXPECT_EQ(kExitInput, unsaid.exit_code);
    EXPECT_TRUE(contains(unsaid.err, "add --time-unit ms")) << unsaid.err;
    EXPECT_EQ(kExitViolated, validated(file, "lease:ttl=50", {"--time-unit", "ms"}).exit_code);
    const Ran json = validated(file, "lease:ttl=49", {"--time-unit", "ms", "--format", "json"});
    EXPECT_EQ(kExitPassed, json.exit_code) << json.out << json.err;
    EXPECT_EQ("", testing_scenarios::report_complaint(json.out, "history.schema.json"));
}

class VacuousHistories : public WithFiles {};

TEST_F(VacuousHistories, HaveNotPassed) {
    const std::string acquire = R"({"process": 0, "type": "invoke", "f": "acquire"})"
                                "\n";
    for (const std::string& text :
         {acquire,
          acquire + R"({"process": 0, "type": "info", "f": "acquire"})"
                    "\n",
          acquire + R"({"process": 0, "type": "fail", "f": "acquire", "error": "x"})"
                    "\n"}) {
        const Ran ran =
            run({"validate", "--history", write("none.jsonl", text), "--model", "mutex"});
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "inconclusive: nothing was ever granted")) << ran.out;
        const Ran json = run(
            {"validate", "--history", path("none.jsonl"), "--model", "mutex", "--format", "json"});
        EXPECT_EQ(kExitInconclusive, json.exit_code);
        EXPECT_EQ("", testing_scenarios::report_complaint(json.out, "history.schema.json"));
    }
    const Ran granted =
        run({"validate", "--history",
             write("one.jsonl", acquire + R"({"process": 0, "type": "ok", "f": "acquire"})"
                                          "\n"),
             "--model", "mutex"});
    EXPECT_EQ(kExitPassed, granted.exit_code) << granted.out << granted.err;
    EXPECT_TRUE(
        contains(granted.out, "answers: 1 grant, 0 refusals, 0 errors, 0 indefinite answers"))
        << granted.out;
}

class OwnRuns : public WithFiles {
  protected:
    Ran recorded(const std::string& file) {
        return run({"replay", file, "--history", path("run.jsonl"), "-q"});
    }
    Ran recorded(const std::string& scenario, const std::string& schedule) {
        return run({"replay", kScenarios + scenario, "--schedule", schedule, "--history",
                    path("run.jsonl"), "-q"});
    }
};

TEST_F(OwnRuns, OfTheCanalLockAreWithinTheModelWhenNothingIsWrong) {
    const std::string file = write("calm.json", R"({"version": 1, "system": "canal",
        "parameters": {"table": {"warm": 2}}, "method": "order", "order": ["A", "B", "A", "B"],
        "callers": [
        {"name": "A", "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 2}},
                                 {"release": {"key": "db"}}]},
        {"name": "B", "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 2}},
                                 {"release": {"key": "db"}}]}]})");
    const Ran ran = recorded(file);
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    const Ran judged = validated(path("run.jsonl"), "resizable-semaphore");
    EXPECT_EQ(kExitPassed, judged.exit_code) << judged.out << judged.err;
    EXPECT_TRUE(contains(judged.out, "4 operations")) << judged.out;
    // Nobody was refused: there was nothing to judge of that.
    const Ran refusals = validated(path("run.jsonl"), "resizable-semaphore:refusals=judged");
    EXPECT_EQ(kExitInconclusive, refusals.exit_code) << refusals.out << refusals.err;
}

// The explorer's shortest run, and a step more of each of the three that are granted.
TEST_F(OwnRuns, OverAllocationIsFoundFromOutsideToo) {
    const Ran ran = recorded("canal/findings/over_allocation_four_callers.json",
                             "lk1:1:s0*3,s1,s0,s2,s1,s2,s0*3,s3,s1,s2,s3");
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    const Ran judged = validated(path("run.jsonl"), "resizable-semaphore");
    EXPECT_EQ(kExitViolated, judged.exit_code) << judged.out << judged.err;
    EXPECT_TRUE(contains(judged.out, "reason: 2 of 2 held\n")) << judged.out;
    EXPECT_TRUE(contains(judged.out, "at most 1 too many\n")) << judged.out;
}

// P3 sees that the unit was given back long before the release returns; nobody outside can.
TEST_F(OwnRuns, ARefusalThatAReleaseUnderWayExplainsIsNotJudged) {
    const Ran ran =
        recorded("canal/findings/three_callers_two_buckets.json#under_allocation_two_buckets",
                 "lk1:1:s0*4,s1,s0,s2,s0*2,b0.1,s0,b0.2,s0,s1,s2");
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    const Ran judged = validated(path("run.jsonl"), "resizable-semaphore:refusals=judged");
    EXPECT_EQ(kExitPassed, judged.exit_code) << judged.out << judged.err;
}

// After a leak nobody holds, and a refusal has no explanation.
TEST_F(OwnRuns, ARefusalAfterALeakIsFoundFromOutside) {
    const std::string file = write("leaked.json", R"({"version": 1, "system": "canal",
        "parameters": {"table": {"db": {"buckets": [2], "highest": 1}}}, "method": "order",
        "order": ["A"], "callers": [{"name": "A", "script": [
            {"acquire": {"key": "db", "max_per": 1, "buckets": 1}}]}]})");
    recorded(file);
    const Ran vacuous = validated(path("run.jsonl"), "resizable-semaphore");
    EXPECT_EQ(kExitInconclusive, vacuous.exit_code);
    EXPECT_TRUE(contains(vacuous.out,
                         "verdict: inconclusive: nothing was ever granted: 0 grants, 1 refusal"))
        << vacuous.out;
    const Ran judged = validated(path("run.jsonl"), "resizable-semaphore:refusals=judged");
    EXPECT_EQ(kExitViolated, judged.exit_code) << judged.out << judged.err;
    EXPECT_TRUE(contains(judged.out, "there was room: it should have been granted")) << judged.out;
}

TEST_F(OwnRuns, AFileThatCannotBeWrittenIsNamed) {
    const Ran ran = run({"replay", kScenarios + "single_counter/timeline.json", "--history",
                         path("no/such/directory"), "-q"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    EXPECT_TRUE(contains(ran.err, "cannot be written")) << ran.err;
}

// A lock that counts its grants from 0 is as good as one that begins with 1.
TEST_F(OwnRuns, TokensMayBeginWithZero) {
    const std::string grant =
        R"({"process": 0, "type": "invoke", "f": "acquire", "value": null}
{"process": 0, "type": "ok", "f": "acquire", "value": {"token": 0}}
{"process": 0, "type": "invoke", "f": "write", "value": {"token": 0}}
{"process": 0, "type": "ok", "f": "write", "value": {"token": 0}}
{"process": 0, "type": "invoke", "f": "release", "value": null}
{"process": 0, "type": "ok", "f": "release", "value": null}
)";
    for (const char* model : {"fenced-mutex", "fenced-resource"}) {
        const std::string once =
            model == std::string("fenced-mutex")
                ? grant
                : grant.substr(0, grant.find(R"({"process": 0, "type": "invoke", "f": "release")"));
        EXPECT_EQ(kExitPassed, validated(write("zero.jsonl", once), model).exit_code) << model;
        EXPECT_EQ(kExitViolated, validated(write("twice.jsonl", once + once), model).exit_code)
            << model;
    }
}

}  // namespace
}  // namespace lockkeeper
