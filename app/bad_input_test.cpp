// SPDX-License-Identifier: Apache-2.0

// Every kind of bad input: one line that names file and place, the right exit code.
#include <sys/stat.h>

#include <regex>

#include <fmt/format.h>

#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

class BadInputTest : public WithFiles {
  protected:
    // The scenario verbs must all refuse the file alike.
    void expect_refused(const std::string& file, const std::string& place) const {
        for (const char* verb : {"run", "explore", "fuzz", "replay"}) {
            const Ran ran = run({verb, file});
            EXPECT_EQ(kExitInput, ran.exit_code) << verb;
            expect_one_line(ran, place);
            // With line and column whoever has found the fault, unless there is no text.
            const std::regex form("^lockkeeper: ([^:]*)(:[0-9]+:[0-9]+)?: ([^\n]*)\n$");
            std::smatch match;
            ASSERT_TRUE(std::regex_match(ran.err, match, form)) << ran.err;
            EXPECT_EQ(file, match[1]);
            EXPECT_EQ(0U, match[3].str().rfind(place, 0)) << ran.err;
            EXPECT_NE(std::filesystem::is_regular_file(file), match[2].str().empty()) << ran.err;
        }
    }
};

TEST_F(BadInputTest, UnknownKey) {
    expect_refused(write_pair("a.json", R"("sistem": "canal", )"),
                   "unknown key \"sistem\"; did you mean \"system\"?");
}

TEST_F(BadInputTest, WrongType) {
    expect_refused(write_pair("a.json", R"("about": 7, )"), "/about: ");
    expect_refused(write("b.json", "[]"), "");
    expect_refused(write("c.json", ""), "not JSON: ");
    expect_one_line(run({"explore", path("c.json")}), "c.json:1:1: not JSON: ");
}

TEST_F(BadInputTest, UnknownNames) {
    expect_refused(write_pair("a.json", R"("variant": "faithfull", )"), "/variant: ");
    expect_refused(write_pair("b.json", R"("check": ["leek"], )"),
                   "/check/0: unknown property \"leek\"; did you mean \"leak\"?");
    expect_refused(write_pair("c.json", R"("reach": ["fulll"], )"), "/reach/0: ");
    expect_refused(write_pair("d.json", R"("strategy": "pct:0", )"), "/strategy: ");
    expect_one_line(run({"fuzz", write_pair("e.json", R"("strategy": "ramdom", )")}),
                    "/strategy: unknown strategy \"ramdom\"; expected feedback, portfolio, random, "
                    "rare-faults, pos, round-robin, or pct:D with D from 1 to 100; did you mean "
                    "\"random\"?");
}

TEST_F(BadInputTest, WhatOnlyTheSystemFindsHasItsPlaceToo) {
    const std::string file =
        write("a.json",
              "{\"version\": 1, \"system\": \"lease_db\",\n"
              " \"check\": [\"deadlock\", \"monitors\"], \"callers\": [{\"script\": [\n"
              "  {\"acquire\": {\"key\": \"db\"}},\n"
              "  {\"release\": {\"key\": \"db\"}}]}]}\n");
    expect_one_line(run({"explore", file}), "a.json:2:24: /check/1: unknown property ");
    const std::string called =
        write("b.json",
              "{\"version\": 1, \"system\": \"lease_db\", \"callers\": [\n"
              "  {\"script\": [{\"acquire\": {\"key\": \"db\"}},\n"
              "    {\"call\": {\"what\": \"wriet\", \"key\": \"db\"}}]}]}\n");
    expect_one_line(run({"explore", called}),
                    "b.json:3:23: /callers/0/script/1/call/what: system \"lease_db\" has no call "
                    "\"wriet\"; did you mean \"write\"?");
    const std::string trace = write("b.trace.json",
                                    "{\"version\": 1, \"kind\": \"trace\", \"steps\": [],\n"
                                    " \"scenario\":\n" +
                                        read_whole(called) + "}\n");
    expect_one_line(run({"replay", trace}),
                    "b.trace.json:5:23: /scenario/callers/0/script/1/call/what: ");
    expect_one_line(run({"explore", write("d.json", R"({"version": 1, "system": "canal",
"parameters": {"weather": 3}, "callers": [{"script": [{"acquire": {"key": "db"}}]}]})")}),
                    "d.json:2:27: /parameters/weather: system \"canal\" has no parameter");
}

TEST_F(BadInputTest, WhatAFlagMakesWrongIsTheFlagsFault) {
    const std::string file = write("a.json", R"({"version": 1, "system": "lease_coordinator",
        "callers": [{"script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})");
    const Ran set = run({"explore", file, "--set", "ttl=2", "--set", "grace=2"});
    EXPECT_EQ(kExitUsage, set.exit_code);
    expect_one_line(set,
                    "lockkeeper: --set grace=2 --set ttl=2: /parameters/grace: expected less "
                    "than the ttl");
    const Ran check = run({"explore", write_pair("b.json"), "--check", "leak,told-late"});
    EXPECT_EQ(kExitInput, check.exit_code);
    expect_one_line(check, "b.json: --check: property \"told-late\" does not apply to system ");
}

TEST_F(BadInputTest, MissingFile) {
    expect_refused(path("nowhere.json"), "cannot be opened: No such file or directory");
}

TEST_F(BadInputTest, ScheduleOfAnotherVersion) {
    expect_refused(write_pair("a.json", R"("method": "replay", "schedule": "lk0:1:s0", )"),
                   "/schedule: character 1: not a schedule of version lk1");
    const Ran ran = run({"replay", write_pair("b.json"), "--schedule", "lk2:1:s0"});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "--schedule: character 1: not a schedule of version lk1");
}

TEST_F(BadInputTest, ExceedsTheCompiledSizes) {
    const std::string file = write("a.json", R"({"version": 1, "system": "canal", "callers": [
        {"name": "A", "count": 16, "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 99}}]}
        ]})");
    for (const char* verb : {"run", "explore", "fuzz"}) {
        const Ran ran = run({verb, file});
        EXPECT_EQ(kExitInput, ran.exit_code);
        expect_one_line(ran, file + ":1:1: does not fit");
        expect_one_line(ran, "crowd (buckets 99 of at most 4); wide (callers 16 of at most 4)");
    }
}

// A byte holds neither 128, which would read as "no such bucket", nor 200.
TEST_F(BadInputTest, InitialCountersDecideTheSizeToo) {
    for (const char* counter : {"128", "200"}) {
        const std::string file = write("a.json", R"({"version": 1, "system": "canal",
            "parameters": {"table": {"db": {"buckets": [)" +
                                                     std::string(counter) +
                                                     R"(], "highest": 1}}}, "check": ["leak"],
            "callers": [{"script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 1}}]}]})");
        const Ran ran = run({"explore", file});
        EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
        EXPECT_TRUE(contains(ran.out, "P2 leak in 0 steps")) << ran.out;
    }
}

// An acquire of 0 buckets walks on until it is granted, and creates the bucket for it.
std::string with_acquires_of_0_buckets(const char* variant, const std::string& times,
                                       const std::string& max_per = "1",
                                       const std::string& table = "\"cold\"") {
    return R"({"version": 1, "system": "canal", "variant": ")" + std::string(variant) +
           R"(", "parameters": {"table": )" + table + R"(}, "check": ["leak"], "callers": [
        {"script": [{"acquire": {"key": "db", "max_per": )" +
           max_per + R"(, "buckets": 0}, "times": )" + times + "}]}]}";
}

TEST_F(BadInputTest, AcquiresOf0BucketsDecideTheSizeToo) {
    const auto fuzzed = [&](const std::string& text) {
        return run({"fuzz", write("a.json", text), "--schedules", "1", "--max-steps", "100000"});
    };
    for (const char* times : {"3", "4", "12", "13", "99"}) {
        EXPECT_EQ(kExitPassed, fuzzed(with_acquires_of_0_buckets("faithful", times)).exit_code);
    }
    expect_one_line(fuzzed(with_acquires_of_0_buckets("faithful", "100")),
                    "wide (buckets 100 of at most 99");
    EXPECT_EQ(kExitPassed, fuzzed(with_acquires_of_0_buckets("faithful", "198", "2")).exit_code);
    EXPECT_EQ(
        kExitPassed,
        fuzzed(with_acquires_of_0_buckets("faithful", "90", "0", R"({"warm": 9})")).exit_code);
    expect_one_line(fuzzed(with_acquires_of_0_buckets("faithful", "90", "0", R"({"warm": 10})")),
                    "wide (buckets 100 of at most 99");
}

TEST_F(BadInputTest, AnAcquireOf0BucketsWalksOverTheFullBucketsOfTheTable) {
    const std::string file = write("a.json", R"({"version": 1, "system": "canal",
        "parameters": {"table": {"db": {"buckets": [1, 1, 1], "highest": 3}}},
        "check": ["deadlock"], "reach": ["acquired"],
        "callers": [{"script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 0}}]}]})");
    EXPECT_EQ(kExitPassed, run({"explore", file}).exit_code);
}

TEST_F(BadInputTest, ARepairedAcquireOf0BucketsIsRefusedAndNeedsNoBucket) {
    std::string text = with_acquires_of_0_buckets("repaired", "200");
    text.insert(1, R"("reach": ["full"], )");
    const Ran ran = run({"explore", write("a.json", text), "--check", "over-allocation"});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.err;
}

// Each lap creates one more.
TEST_F(BadInputTest, AWalkBeyondTheCompiledBucketsIsALimitWithItsName) {
    const std::string file = write("a.json", R"({"version": 1, "system": "canal",
        "parameters": {"table": {"warm": 1}}, "check": ["deadlock"],
        "callers": [{"repeat": "forever", "script": [
            {"acquire": {"key": "db", "max_per": 0, "buckets": 0}}, {"release": {"key": "db"}}]}]})");
    const Ran ran = run({"explore", file});
    EXPECT_EQ(kExitInconclusive, ran.exit_code);
    EXPECT_NE(ran.out.find("compiled size: an acquire that walks beyond bucket 3"),
              std::string::npos)
        << ran.out;
}

// The monitors of P3 are bytes in the sizes with many callers.
TEST_F(BadInputTest, MoreLocksThanAMonitorTellsApart) {
    const auto scenario = [](const char* locks) {
        return R"({"version": 1, "system": "canal", "check": ["under-allocation"],
            "parameters": {"table": {"warm": 4}}, "callers": [{"count": 128, "script": [
                {"acquire": {"key": "db", "max_per": 100, "buckets": 4}, "times": )" +
               std::string(locks) + "}]}]}";
    };
    expect_one_line(run({"fuzz", write("many.json", scenario("4"))}),
                    "throng (locks of a key in all hands 400 of at most 255)");
    EXPECT_EQ(kExitPassed,
              run({"fuzz", write("few.json", scenario("1")), "--schedules", "1"}).exit_code);
}

TEST_F(BadInputTest, NoViewLimitsTheLocksOfWhoPasses0Buckets) {
    const std::string file = write("many.json", R"({"version": 1, "system": "canal",
        "check": ["under-allocation"], "callers": [{"count": 128, "script": [
            {"acquire": {"key": "db", "max_per": 100, "buckets": 0}, "times": 2}]}]})");
    expect_one_line(run({"fuzz", file}), "throng (locks of a key in all hands 256 of at most 255)");
}

TEST_F(BadInputTest, AUsageErrorOfSetIsNotTheFilesFault) {
    const Ran ran = run({"explore", write_pair("a.json"), "--set", "graze=3"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--set: unknown name \"graze\"; known: buckets, callers, crashes,");
    const Ran set = run({"explore", write_pair("b.json"), "--set", "max_per=2", "--check", "P2"});
    EXPECT_EQ(kExitUsage, set.exit_code);
    expect_one_line(set, "P2 is called \"leak\"");
}

TEST_F(BadInputTest, DirectoryWithoutScenarios) {
    static_cast<void>(write("empty/schema/x.json", "{}"));
    static_cast<void>(write("empty/x.trace.json", "{}"));
    const std::string directory = path("empty");
    for (const char* verb : {"run", "explore", "fuzz"}) {
        const Ran ran = run({verb, directory});
        EXPECT_EQ(kExitInput, ran.exit_code);
        expect_one_line(ran, directory + ": the directory contains no scenario");
    }
    std::filesystem::remove(path("empty/x.trace.json"));
    const Ran ran = run({"replay", directory});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "the directory contains no trace");
}

TEST_F(BadInputTest, NothingToReplay) {
    const Ran ran = run({"replay", write_pair("a.json")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "has no schedule and no order");
}

TEST_F(BadInputTest, CheckOfTheCommandLine) {
    const Ran ran = run({"explore", write_pair("a.json"), "--check", "leek"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--check: unknown property \"leek\"; did you mean \"leak\"?");
}

TEST_F(BadInputTest, CheckOfTheCommandLineTwice) {
    const Ran ran = run({"explore", write_pair("a.json"), "--check", "leak,leak"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--check: \"leak\" stands in the list twice");
}

TEST_F(BadInputTest, ExpectationOfAnUnknownProperty) {
    expect_refused(write_pair("a.json", R"("expect": {"verdict": "violated",
                       "properties": ["over-allocation", "leek"]}, )"),
                   "/expect/properties/1: unknown property \"leek\"; did you mean \"leak\"?");
}

TEST_F(BadInputTest, ConditionOnAKeyThatNobodyAcquires) {
    expect_refused(write("a.json", R"({"version": 1, "system": "canal", "callers": [
        {"script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
        {"if_holding": {"key": "dv", "then": [{"release": {"key": "db"}}]}}]}]})"),
                   "/callers/0/script/1/if_holding/key: nobody acquires \"dv\"");
}

TEST_F(BadInputTest, Pipe) {
    const std::string pipe = path("pipe.json");
    ASSERT_EQ(0, mkfifo(pipe.c_str(), 0600));
    expect_refused(pipe, "is no regular file");
}

TEST_F(BadInputTest, CheckpointThatCannotBeWritten) {
    const std::string scenario = write_pair("a.json");
    for (const std::string& checkpoint : {path("no/such/file"), path("")}) {
        const Ran ran = run({"explore", scenario, "--checkpoint", checkpoint});
        EXPECT_EQ(kExitInput, ran.exit_code);
        expect_one_line(ran, checkpoint + ": cannot be written: ");
        EXPECT_FALSE(contains(ran.out, "distinct states")) << "before the search";
    }
    const Ran ran = run({"explore", scenario, "--checkpoint", path("kept")});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.err;
}

TEST_F(BadInputTest, CycleOutsideOfTheSchedule) {
    const std::string scenario = write_pair("a.json");
    const Ran ran = run({"replay", scenario, "--schedule", "lk1:1:s0,s0", "--cycle-from", "3"});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--cycle-from: step 3 of a schedule that has 2");
    const Ran ordered =
        run({"replay", write_pair("b.json", R"("order": ["A1"], )"), "--cycle-from", "1"});
    EXPECT_EQ(kExitUsage, ordered.exit_code);
    expect_one_line(ordered, "--cycle-from: goes with a schedule or a trace file");
}

TEST_F(BadInputTest, FlagWhereTheVerbShouldBe) {
    const Ran unknown = run({"--bogus"});
    EXPECT_EQ(kExitUsage, unknown.exit_code);
    expect_one_line(unknown, "unknown flag \"--bogus\"");
    const Ran misspelt = run({"--verson"});
    expect_one_line(misspelt, "unknown flag \"--verson\"; did you mean \"--version\"?");
    const Ran early = run({"--seed=7", "explore", write_pair("a.json")});
    EXPECT_EQ(kExitUsage, early.exit_code);
    expect_one_line(early, "the flag --seed comes after a verb");
}

TEST_F(BadInputTest, OutThatIsNoDirectory) {
    const std::string file = write_pair("a.json");
    const Ran ran = run({"explore", file, "--out", file});
    EXPECT_EQ(kExitUsage, ran.exit_code);
    expect_one_line(ran, "--out: ");
}

TEST_F(BadInputTest, OtherFilesGoOn) {
    const Ran ran = run({"run", write("a.json", "{"), write_pair("b.json", R"("check": [], )")});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "a.json:1:");
    EXPECT_TRUE(contains(ran.out, "ok         " + path("b.json")));
    EXPECT_TRUE(contains(ran.out, "1 passed, 0 failed, 1 not run\n"));
}

}  // namespace
}  // namespace lockkeeper
