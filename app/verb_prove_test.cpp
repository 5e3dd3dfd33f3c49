// SPDX-License-Identifier: Apache-2.0

// prove and check-certificate, from the command line.
#include <set>

#include <nlohmann/json.hpp>

#include "app/long_proof_test.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/schema_check_test.hpp"
#include "scheduler/base/process_memory.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kFolder = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/every_number/";
const std::string kRepairedFile = kFolder + "repaired.json";
const std::string kPublishedFile = kFolder + "published.json";

class Prove : public WithFiles {};

// A file with cases, of which one is proved.
TEST_F(Prove, OneCaseOfAFileIsExploredAsWell) {
    const std::string file =
        std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/single_counter/two_views.json#leak_resize";
    const Ran ran = prove({file});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "least number: 2 callers (1 of ")) << ran.out;
}

TEST_F(Prove, TheRepairedLockPassesAndItsCertificateIsChecked) {
    const std::string file = path("repaired.certificate.json");
    const Ran ran = prove({kRepairedFile, "--certificate", file});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: passed: for every number of callers")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "not covered             P3 under-allocation")) << ran.out;
    EXPECT_TRUE(contains(ran.out, "written: " + file)) << ran.out;
    const Ran checked = run({"check-certificate", file, kRepairedFile});
    EXPECT_EQ(kExitPassed, checked.exit_code) << checked.out << checked.err;
}

// Where nobody ever holds anything there is nothing to break: that is no pass.
TEST_F(Prove, ALockThatNobodyGetsIsNotPassed) {
    nlohmann::ordered_json scenario = nlohmann::ordered_json::parse(read_whole(kRepairedFile));
    scenario.erase("$schema");
    scenario.erase("reach");
    const std::string full = write("full.json", scenario.dump());
    scenario["callers"][0]["script"][0]["acquire"]["max_per"] = 0;
    const std::string empty = write("empty.json", scenario.dump());
    EXPECT_EQ(kExitPassed, prove({full}).exit_code);
    const std::string file = path("empty.certificate.json");
    const Ran ran = prove({empty, "--certificate", file});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: inconclusive: proved, but nobody can acquire"))
        << ran.out;
    const Ran checked = run({"check-certificate", file, empty});
    EXPECT_EQ(kExitInconclusive, checked.exit_code) << checked.out << checked.err;
    EXPECT_TRUE(contains(checked.out, "the certificate is a proof, but nobody can acquire"))
        << checked.out;
}

TEST_F(Prove, TheCertificateOfALeaseSaysOnceOfWhomThereIsAnyNumberAndIsChecked) {
    const std::string file = path("lease.certificate.json");
    const Ran ran = prove({kFolder + "lease.json", "--certificate", file});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "explored                up to 3 callers")) << ran.out;
    const std::string text = read_whole(file);
    EXPECT_TRUE(contains(text, "\n  \"any\": [\n")) << text;
    EXPECT_FALSE(contains(text, "\"any\"]")) << text;
    const Ran checked = run({"check-certificate", file, kFolder + "lease.json"});
    EXPECT_EQ(kExitPassed, checked.exit_code) << checked.out << checked.err;
}

TEST_F(Prove, ThePublishedLockIsViolatedByTheLeastNumberWhichExploreConfirms) {
    const std::string least = path("least.json");
    const Ran ran = prove({kPublishedFile, "--scenario-out", least});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "least number: 2 callers")) << ran.out;
    const Ran explored = run({"explore", least});
    EXPECT_EQ(kExitViolated, explored.exit_code);
    EXPECT_TRUE(contains(explored.out, "P10 caller-death in 6 steps")) << explored.out;
    EXPECT_TRUE(contains(ran.out, "replay: lockkeeper replay " + least)) << ran.out;
    const Ran as_test = run({"run", least});
    EXPECT_EQ(kExitPassed, as_test.exit_code) << as_test.out;
}

// Each repair left out: the least number of callers, which exploring confirms.
TEST_F(Prove, WithoutARepairTheLeastNumberIsFound) {
    const std::vector<std::pair<std::string, std::string>> least{
        {"without_whole_row_take_over_allocation", "2 callers (1 of "},
        {"without_whole_row_give_back_double_release", "2 callers (1 of "},
        {"without_count_against_view", "2 callers (1 of "},
        {"without_announce_first", "1 caller;"},
        {"without_owners_in_row", "2 callers;"}};
    for (const auto& [name, number] : least) {
        const std::string to = path(name + ".json");
        const Ran ran = prove(
            {std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/repairs/" + name + ".json",
             "--scenario-out", to, "--check", "safety"});
        EXPECT_EQ(kExitViolated, ran.exit_code) << name << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "least number: " + number)) << name << ran.out;
        EXPECT_EQ(kExitViolated, run({"explore", to}).exit_code) << name;
    }
}

TEST_F(Prove, WhereCallersGetStuckNothingIsPassed) {
    const std::string stuck = write("stuck.json", R"({"version": 1, "system": "canal_broken",
        "variant": "forgets_to_reply", "callers": [{"script": [{"acquire": {"key": "db",
        "max_per": 1, "buckets": 1}}, {"release": {"key": "db", "max_per": 1, "buckets": 1}}]}],
        "check": ["over-allocation", "caller-death"]})");
    const Ran ran = prove({stuck});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: stuck")) << ran.out;
}

// Nobody crashes in it.
TEST_F(Prove, AGoalThatNobodyReachesIsNoPass) {
    const auto proved = [&](const std::string& goal) {
        return prove({write("goal.json", R"({"version": 1, "system": "canal",
            "variant": "repaired", "callers": [{"script": [{"acquire": {"key": "db", "max_per": 1,
            "buckets": 1}}, {"release": {"key": "db", "max_per": 1, "buckets": 1}}]}],
            "check": ["over-allocation"], "reach": [")" +
                                             goal + "\"]}")});
    };
    const Ran reached = proved("acquired");
    EXPECT_EQ(kExitPassed, reached.exit_code) << reached.out << reached.err;
    // Two callers of the file's kind are explored on the way: one of them is refused.
    const Ran by_two = proved("full");
    EXPECT_EQ(kExitPassed, by_two.exit_code) << by_two.out << by_two.err;
    const Ran missed = proved("crashed");
    EXPECT_EQ(kExitViolated, missed.exit_code) << missed.out << missed.err;
    EXPECT_TRUE(contains(missed.out, "verdict: unreached: goal crashed")) << missed.out;
}

// A number is put behind the name of each caller of a kind: A, A1 and A2 of two kinds.
TEST_F(Prove, NamesOfCallersStandInNobodysWay) {
    const std::string names = write("names.json", R"({"version": 1, "system": "canal",
        "callers": [
            {"name": "A", "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 1}},
                {"release": {"key": "db", "max_per": 1, "buckets": 1}}]},
            {"name": "A2", "script": [{"acquire": {"key": "db", "max_per": 1, "buckets": 2}},
                {"release": {"key": "db", "max_per": 1, "buckets": 2}}]}],
        "check": ["leak", "caller-death", "over-allocation"]})");
    const Ran ran = prove({names});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
}

TEST_F(Prove, WhereTheScenarioIsWrittenNowhereTheReportSaysHowToHaveIt) {
    const Ran ran = prove({kPublishedFile});
    EXPECT_TRUE(contains(ran.out, "--scenario-out FILE")) << ran.out;
}

TEST_F(Prove, ACertificateOfAnotherScenarioOrWithAByteMoreIsNoProof) {
    const std::string file = path("repaired.certificate.json");
    ASSERT_EQ(kExitPassed, prove({kRepairedFile, "--certificate", file}).exit_code);
    EXPECT_EQ(kExitViolated, run({"check-certificate", file, kPublishedFile}).exit_code);
    const std::string text = read_whole(file);
    std::string less = text;
    less.erase(less.find("\"leak\","), 7);
    for (const std::string& other : {text + " ", less}) {
        const Ran ran = run({"check-certificate", write("other.json", other), kRepairedFile});
        EXPECT_EQ(kExitViolated, ran.exit_code);
        EXPECT_TRUE(contains(ran.out, "the certificate is no proof: ")) << ran.out;
    }
}

TEST_F(Prove, AFileThatIsNoCertificateIsRefusedWithItsPlace) {
    const std::string file = path("repaired.certificate.json");
    ASSERT_EQ(kExitPassed, prove({kRepairedFile, "--certificate", file}).exit_code);
    std::string twice = read_whole(file);
    twice.insert(twice.find("  \"everybody\""), "  \"everybody\": false,\n");
    const std::vector<std::pair<std::string, std::string>> wrong{
        {twice, "other.json:8:3: duplicate key"},
        {"{}", "other.json:1:1: "},
        {"{\n\"kind\": nothing}", "other.json:2:10: not JSON: "}};
    for (const auto& [text, why] : wrong) {
        const Ran ran = run({"check-certificate", write("other.json", text), kRepairedFile});
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
        EXPECT_TRUE(contains(ran.err, why)) << ran.err;
    }
}

// The limit is on the whole process, and how much the program alone has depends on how it was
// built: so the test holds more than the limit itself.
TEST_F(Prove, ACheckThatTakesTooMuchMemoryIsNoAnswer) {
    const std::vector<char> held(ProcessLimit::kLeast + 1, 1);
    const std::string file = path("repaired.certificate.json");
    ASSERT_EQ(kExitPassed, prove({kRepairedFile, "--certificate", file}).exit_code);
    const Ran ran = run({"check-certificate", file, kRepairedFile, "--memory",
                         std::to_string(ProcessLimit::kLeast)});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << held.size();
    EXPECT_TRUE(contains(ran.out, "ended by limit: memory")) << ran.out;
}

TEST_F(Prove, WhatGrowsOrConcernsOthersIsInconclusiveWithTheReason) {
    const std::string holds = write("grows.json", R"({"version": 1, "system": "canal",
        "callers": [{"script": [{"acquire": {"key": "db", "max_per": 20, "buckets": 1}}]}],
        "check": ["over-allocation"]})");
    const Ran grows = prove({holds, "--max-states", "250"});
    EXPECT_EQ(kExitInconclusive, grows.exit_code) << grows.out << grows.err;
    EXPECT_TRUE(contains(grows.out, "no proof was found: ")) << grows.out;
    const std::string lines = write("others.json", R"({"version": 1, "system": "monglock_multi",
        "variant": "repaired", "parameters": {"locktimeout": 10}, "callers": [{"script": [{"acquire": {"key": "write"}},
        {"release": {"key": "write"}}]}], "check": ["belief-overlap"]})");
    const Ran others = prove({lines, "--max-states", "2000"});
    EXPECT_EQ(kExitInconclusive, others.exit_code) << others.out << others.err;
    EXPECT_TRUE(contains(others.out, "is handed the records of all callers")) << others.out;
}

TEST_F(Prove, WhereNothingCanBeProvedThatIsNoPass) {
    const Ran ran = prove({kRepairedFile, "--check", "livelock"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out;
}

TEST_F(Prove, WrongUsesAreRefused) {
    EXPECT_EQ(kExitUsage, run({"check-certificate", kRepairedFile}).exit_code);
    const std::string to = path("c.json");
    EXPECT_EQ(kExitUsage, prove({kRepairedFile, kPublishedFile, "--certificate", to}).exit_code);
    EXPECT_EQ(kExitInput, run({"check-certificate", path("none.json"), kRepairedFile}).exit_code);
}

// Returns the answer that stands in the document of `prove`.
nlohmann::json every_number_of(const Ran& ran) {
    return nlohmann::json::parse(ran.out)["files"][0]["every_number"];
}

TEST_F(Prove, ThePictureSaysHowManyCallersCanBeWhere) {
    const Ran ran = prove({kFolder + "lease.json", "--format", "json"});
    EXPECT_EQ("", testing_scenarios::report_complaint(ran.out, "result.schema.json"));
    const nlohmann::json answer = every_number_of(ran);
    const nlohmann::json& picture = answer["picture"];
    EXPECT_EQ(picture["groups"], nlohmann::json({"resting", "in a call", "holding", "dead"}));
    EXPECT_EQ(picture["rows_left_out"], 0);
    std::size_t combinations = 0;
    std::set<std::int64_t> holding;
    for (const nlohmann::json& row : picture["rows"]) {
        combinations += row["combinations"].get<std::size_t>();
        EXPECT_TRUE(row["most"][0].is_null()) << row;
        ASSERT_TRUE(row["most"][2].is_number()) << row;
        holding.insert(row["most"][2].get<std::int64_t>());
    }
    EXPECT_EQ(holding, (std::set<std::int64_t>{0, 1}));
    EXPECT_EQ(answer["combinations"], combinations);
    const nlohmann::json by_weights = every_number_of(prove({kRepairedFile, "--format", "json"}));
    EXPECT_EQ("weights", by_weights["method"]);
    for (const nlohmann::json& row : by_weights["picture"]["rows"]) {
        EXPECT_TRUE(row["most"][2].is_number()) << row;
    }
    EXPECT_TRUE(every_number_of(prove({kPublishedFile, "--format", "json"}))["picture"].is_null());
}

// A lease whose library renews after a third of it: after 1 of 5, and after 3 of 10.
TEST_F(Prove, WhatIsProvedForSomeTimesIsNotKnownForTheirMultiples) {
    const auto proved = [&](int times) {
        nlohmann::json lease =
            nlohmann::json::parse(R"({"version": 1, "system": "lease_coordinator",
            "variant": "repaired", "callers": [{"repeat": "forever", "script": [
            {"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}],
            "check": ["unprotected-effect"]})");
        lease["parameters"] = {{"ttl", 5 * times},    {"grace", times},      {"pause", 2 * times},
                               {"reaper", 2 * times}, {"until", 15 * times}, {"module", 1}};
        return prove({write("lease.json", lease.dump()), "--format", "json"});
    };
    const Ran once = proved(1);
    EXPECT_EQ(kExitPassed, once.exit_code) << once.out << once.err;
    EXPECT_EQ("not known", every_number_of(once)["multiples"]);
    EXPECT_EQ(1, every_number_of(once)["time_unit"]);
    const Ran twice = proved(2);
    EXPECT_EQ(kExitViolated, twice.exit_code) << twice.out << twice.err;
    EXPECT_EQ(std::vector<int>{1}, every_number_of(twice)["least"].get<std::vector<int>>());
    EXPECT_TRUE(every_number_of(twice)["multiples"].is_null());
}

// In units of 500, of which the default of the reaper has two. In slow builds the command's minute
// ends the proof before.
TEST_F(Prove, TimesThatAUnitBringsTogetherAreNotProved) {
    if (testing_model::kIsSlowBuild) {
        return;
    }
    const Ran ran = run({"prove", write("hour.json", R"({"version": 1,
        "system": "lease_coordinator", "variant": "repaired", "check": ["grant-overlap"],
        "parameters": {"ttl": 3600000, "until": 7200000, "grace": 2000},
        "callers": [{"script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}]})")});
    EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "no instants between multiples of 500")) << ran.out;
}

TEST_F(Prove, AProofInWhichNoTimePassesHoldsForAllTimes) {
    const auto multiples = [&](const std::string& file) {
        return every_number_of(prove({file, "--format", "json"}))["multiples"];
    };
    const std::string waits = write("waits.json", R"({"version": 1, "system": "transactional_pg",
        "parameters": {"lock_timeout": 50}, "callers": [{"script": [{"acquire": {"key": "db"}},
        {"release": {"key": "db"}}]}], "check": ["belief-overlap"]})");
    EXPECT_EQ("all", multiples(waits));
    EXPECT_TRUE(multiples(kRepairedFile).is_null());  // it has no times
}

TEST_F(Prove, TheDocumentHasTheAnswer) {
    const Ran ran = prove({kPublishedFile, "--format", "json"});
    const auto document = nlohmann::json::parse(ran.out);
    EXPECT_EQ("violated", document["verdict"]);
    const auto& numbers = document["files"][0]["every_number"];
    EXPECT_EQ(std::vector<int>{2}, numbers["least"].get<std::vector<int>>());
    EXPECT_EQ(1, numbers["explored_callers"]);
    EXPECT_TRUE(numbers["method"].is_null());
    EXPECT_EQ(6, document["violations"][0]["steps"]);
}

}  // namespace
}  // namespace lockkeeper
