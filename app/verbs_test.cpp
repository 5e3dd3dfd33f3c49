// SPDX-License-Identifier: Apache-2.0

// The verbs from end to end, in-process.

#include <fmt/format.h>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using testing_scenarios::report_complaint;

class Verbs : public WithFiles {};

TEST_F(Verbs, ExploreFindsTheLeakAndPrintsItsTrace) {
    const Ran ran = run({"explore", write_pair("a.json", R"("check": "safety", )")});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_EQ("", ran.err);
    EXPECT_EQ(0U, ran.out.find("lockkeeper "));
    EXPECT_TRUE(contains(ran.out,
                         "seed 1  strategy breadth-first  scope: 2 callers, 1 key, "
                         "max_per 1, buckets 2, crashes 0, manager_max_per 1, "
                         "max_decr_tries 15, warm\n"));
    EXPECT_TRUE(contains(ran.out, "\ncause: 1 of 22 decisions: step 5 (A2 "));
    EXPECT_TRUE(contains(ran.out, "\n!    22  "));
    EXPECT_TRUE(contains(ran.out, "verdict: violated: P2 leak in 22 steps\n"));
    EXPECT_TRUE(contains(ran.out, "scope: stopped at the first violation: 2 callers, 0 crashes"));
}

TEST_F(Verbs, ThePrintedReplayCommandReplays) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    const Ran found = run({"explore", file});
    const std::size_t begin = found.out.find("--schedule '") + 12;
    const std::string schedule = found.out.substr(begin, found.out.find('\'', begin) - begin);
    const Ran replayed = run({"replay", file, "--schedule", schedule});
    EXPECT_EQ(kExitViolated, replayed.exit_code);
    EXPECT_TRUE(contains(replayed.out, "verdict: violated: P2 leak in 22 steps\n"));
}

TEST_F(Verbs, KeepGoingIsComplete) {
    const Ran ran =
        run({"explore", write_pair("a.json"), "--keep-going", "--check", "leak,acquire-order"});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "violation 2: "));
    EXPECT_TRUE(contains(ran.out, "scope: complete: 2 callers, 0 crashes, "));
    EXPECT_TRUE(contains(ran.out, "maximal interleavings   "));
}

TEST_F(Verbs, Limits) {
    const std::string file = write_pair("a.json", R"("check": ["over-allocation"], )");
    EXPECT_EQ(kExitPassed, run({"explore", file}).exit_code);
    const Ran bounded = run({"explore", file, "--max-states", "10"});
    EXPECT_EQ(kExitInconclusive, bounded.exit_code);
    EXPECT_TRUE(contains(bounded.out, "verdict: inconclusive: ended by limit: states\n"));
    EXPECT_TRUE(contains(bounded.out, "scope: bounded (states): "));
    EXPECT_TRUE(contains(bounded.out, "\ntry next                a larger --max-states; "));
    EXPECT_FALSE(contains(run({"explore", file}).out, "try next"));
    EXPECT_EQ(kExitInconclusive, run({"explore", file, "--max-steps", "3"}).exit_code);
    EXPECT_EQ(kExitInconclusive,
              run({"explore", file}, {{"LOCKKEEPER_MAX_STATES", "10"}}).exit_code);
}

TEST_F(Verbs, FlagBeforeFileBeforeDefault) {
    const std::string file = write_pair(
        "a.json", R"("check": ["over-allocation"], "seed": 5, "limits": {"schedules": 7}, )");
    const auto seed_and_schedules = [](const Ran& ran) {
        const auto document = nlohmann::json::parse(ran.out);
        return std::pair(document["seed"].get<int>(), document["files"][0]["schedules"].get<int>());
    };
    EXPECT_EQ(std::pair(5, 7), seed_and_schedules(run({"fuzz", file, "--format", "json"})));
    EXPECT_EQ(std::pair(6, 8), seed_and_schedules(run({"fuzz", file, "--format", "json", "--seed",
                                                       "6", "--schedules", "8"})));
    EXPECT_EQ(std::pair(9, 7), seed_and_schedules(run({"fuzz", file, "--format", "json"},
                                                      {{"LOCKKEEPER_SEED", "9"}})));
}

TEST_F(Verbs, JsonKeepsToItsSchema) {
    const std::string leaks = write_pair("a/leaks.json", R"("check": ["leak"], )");
    const std::string passes = write_pair("a/passes.json", R"("check": ["over-allocation"], )");
    static_cast<void>(write("a/bad.json", "{"));
    for (const auto& arguments :
         std::vector<std::vector<std::string>>{{"explore", leaks},
                                               {"fuzz", leaks},
                                               {"explore", passes},
                                               {"run", path("a")},
                                               {"replay", leaks, "--schedule", "lk1:1:s0,s1,s7"},
                                               {"fuzz", passes, leaks},
                                               {"explore", path("a"), "--keep-going"}}) {
        std::vector<std::string> all = arguments;
        all.insert(all.end(), {"--format", "json"});
        const Ran ran = run(all);
        EXPECT_EQ("", report_complaint(ran.out, "result.schema.json")) << ran.out;
        EXPECT_EQ(ran.exit_code, nlohmann::json::parse(ran.out)["exit_code"]);
    }
}

TEST_F(Verbs, FuzzShrinksAndExplains) {
    const Ran ran = run({"fuzz", write_pair("a.json", R"("check": ["leak"], )")});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "P2 leak (fatal) in 22 steps, found by ")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "\ncause: "));
    EXPECT_TRUE(contains(ran.out, "scope: bounded: "));
}

TEST_F(Verbs, FuzzIsRepeatable) {
    const std::string file = write_pair("a.json", R"("check": ["leak"], )");
    const auto found = [&] {
        auto document = nlohmann::json::parse(
            run({"fuzz", file, "--seed", "3", "--check-determinism", "--format", "json"}).out);
        return document["violations"].dump() + document["files"][0]["schedules"].dump();
    };
    EXPECT_EQ(found(), found());
}

TEST_F(Verbs, FuzzSaysTheSameWithAnyNumberOfJobs) {
    for (const char* check : {"leak", "over-allocation"}) {
        const std::string file =
            write_pair("a.json", "\"check\": [\"" + std::string(check) + "\"], ");
        const auto told = [&](const std::string& jobs) {
            const std::string out = path("out" + jobs);
            auto document = nlohmann::json::parse(run({"fuzz", file, "--jobs", jobs, "--schedules",
                                                       "300", "--out", out, "--format", "json"})
                                                      .out);
            std::string names;
            for (const auto& entry : std::filesystem::directory_iterator(out)) {
                names += entry.path().filename().string() + " ";
            }
            for (auto& violation : document["violations"]) {
                violation.erase("trace_file");
                violation.erase("replay");  // which names it
            }
            const auto& all = document["files"][0];
            return document["verdict"].dump() + document["violations"].dump() +
                   all["schedules"].dump() + all["steps"].dump() + all["goals_reached"].dump() +
                   names;
        };
        const std::string alone = told("1");
        EXPECT_EQ(alone, told("2"));
        EXPECT_EQ(alone, told("3"));
        EXPECT_TRUE(contains(alone, std::string(check) == "leak" ? "violated" : "passed")) << alone;
    }
}

TEST_F(Verbs, ReplayOfAnOrder) {
    const Ran ran = run({"replay", write_pair("a.json", R"("order": ["A1", "A1"], )")});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.err;
    EXPECT_TRUE(contains(ran.out, "strategy order"));
    EXPECT_TRUE(contains(ran.out, "scope: one run, not to its end (somebody is unfinished): "));
    const Ran whole =
        run({"replay", write_pair("b.json", R"("order": ["A1", "A1", "A2", "A2"], )")});
    EXPECT_TRUE(contains(whole.out, "scope: one run: ")) << whole.out;
}

TEST_F(Verbs, GoalsThatAreNotReachedFail) {
    const std::string file =
        write_pair("a.json", R"("check": ["over-allocation"], "reach": ["full"], )");
    const Ran ran = run({"explore", file});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: unreached: goal full\n"));
    const Ran tested = run({"run", file});
    EXPECT_EQ(kExitViolated, tested.exit_code);
    EXPECT_TRUE(contains(tested.out, "FAILED     " + file + "  /reach: not reached: full\n"));
}

// One acquire alone is never refused.
// Where nobody ever holds anything there is nothing to break: that is no pass.
TEST_F(Verbs, ALockThatNobodyGetsPassesNoSearch) {
    for (const auto& [max_per, code] : {std::pair{1, kExitPassed}, {0, kExitInconclusive}}) {
        const std::string file = write(
            "nobody.json",
            fmt::format(
                R"({{"version": 1, "system": "canal", "variant": "repaired", "callers": )"
                R"([{{"count": 2, "script": [{{"acquire": {{"key": "db", "max_per": {}}}}}]}}]}})",
                max_per));
        for (const char* verb : {"explore", "fuzz"}) {
            const Ran ran = run({verb, file});
            EXPECT_EQ(code, ran.exit_code) << verb << ran.out << ran.err;
            EXPECT_EQ(code == kExitInconclusive, contains(ran.out, "but nobody acquires")) << verb;
        }
    }
}

TEST_F(Verbs, TheRunOfAScenarioThatMissesItsGoalFailsInReplayToo) {
    const auto scenario = [&](const char* goal) {
        return write(std::string(goal) + ".json", R"({"version": 1, "system": "canal", "callers":
            [{"name": "A", "script": [{"acquire": {"key": "a", "max_per": 1, "buckets": 1}}]}],
            "reach": [")" + std::string(goal) + R"("], "order": ["A"]})");
    };
    const std::string missed = scenario("full");
    for (const char* verb : {"replay", "run"}) {
        EXPECT_EQ(kExitViolated, run({verb, missed}).exit_code) << verb;
        EXPECT_EQ(kExitPassed, run({verb, scenario("acquired")}).exit_code) << verb;
    }
    EXPECT_TRUE(contains(run({"replay", missed}).out, "verdict: unreached: goal full\n"));
    // A schedule of somebody else's is one run of many.
    const Ran one = run({"replay", missed, "--schedule", "lk1:1:s0*4"});
    EXPECT_EQ(kExitPassed, one.exit_code) << one.out;
    EXPECT_TRUE(contains(one.out, "verdict: passed: this run does not reach goal full\n"))
        << one.out;
}

TEST_F(Verbs, List) {
    const Ran text = run({"list"});
    EXPECT_EQ(kExitPassed, text.exit_code);
    for (const char* part : {"canal/faithful", "single_counter/faithful", "planted bug: leak",
                             "P14 ", "portfolio", "marked-full", "130  "}) {
        EXPECT_TRUE(contains(text.out, part)) << part;
    }
    const auto document = nlohmann::json::parse(run({"list", "--format", "json"}).out);
    EXPECT_EQ(32U, document["properties"].size());
    EXPECT_FALSE(document["systems"].empty());
}

TEST_F(Verbs, ListOfOneThingByAnyOfItsNames) {
    const auto listed = [](const std::string& wanted) {
        const std::string text = run({"list", wanted}).out;
        return text.substr(text.find('\n') + 1);
    };
    const std::string leak = listed("leak");
    EXPECT_EQ(0U, leak.find("properties\n  P2  leak ")) << leak;
    EXPECT_TRUE(contains(leak, "\n      judged of: canal, ")) << leak;
    EXPECT_TRUE(contains(leak, ", programs (validate --program)\n")) << leak;
    EXPECT_FALSE(contains(listed("P14"), "programs")) << listed("P14");
    EXPECT_TRUE(contains(leak, "\n      must reject the planted bugs: ")) << leak;
    EXPECT_FALSE(contains(leak, "P3 ")) << leak;
    EXPECT_EQ(leak, listed("P2"));
    EXPECT_EQ(0U, listed("P10").find("properties\n  P10 caller-death "));
    const std::string all = listed("lease_db");
    const std::string one = listed("lease_db/repaired");
    EXPECT_TRUE(contains(all, "  lease_db/faithful\n") && contains(all, "  lease_db/repaired\n"));
    EXPECT_EQ(0U, one.find("systems\n  lease_db/repaired\n")) << one;
    EXPECT_FALSE(contains(one, "lease_db/faithful"));
    EXPECT_TRUE(contains(one, "      parameter ttl: ")) << one;
    EXPECT_TRUE(contains(one, "      call write: ")) << one;
    EXPECT_EQ(listed("systems").find("P2"), std::string::npos);
    EXPECT_TRUE(contains(listed("full"), "goals\n  full"));
    EXPECT_TRUE(contains(listed("fenced-lease"), "models of recorded histories\n  fenced-lease"));
}

TEST_F(Verbs, ListOfWhatIsNotThereNamesTheNearest) {
    for (const auto& [wanted, nearest] : {std::pair{"leek", "leak"},
                                          {"P120", "P10"},
                                          {"lease_db/repared", "lease_db/repaired"},
                                          {"propertys", "properties"},
                                          {"cannal", "canal"}}) {
        const Ran ran = run({"list", wanted});
        EXPECT_EQ(kExitUsage, ran.exit_code);
        EXPECT_EQ("lockkeeper: list: there is no \"" + std::string(wanted) + "\"; did you mean \"" +
                      nearest + "\"?\n",
                  ran.err);
        EXPECT_EQ("", ran.out);
    }
}

}  // namespace
}  // namespace lockkeeper
