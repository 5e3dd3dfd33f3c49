// SPDX-License-Identifier: Apache-2.0

// Every JSON document that the command prints or writes keeps to the published schema that it
// names, and no schema is published that nothing keeps to.
#include <set>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using nlohmann::json;
using testing_scenarios::report_complaint;

const std::string kSource = std::string(LOCKKEEPER_SOURCE_DIR) + "/";

class JsonDocuments : public WithFiles {
  protected:
    // The document of stdout, which keeps to its schema.
    json printed(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--format", "json"});
        const Ran ran = run(arguments);
        return checked(ran.out, ran.exit_code);
    }
    json checked(const std::string& text, int exit_code) {
        json document = json::parse(text, nullptr, false);
        EXPECT_TRUE(document.is_object()) << text;
        const std::string schema = document.value("$schema", "none");
        EXPECT_EQ("", report_complaint(text, schema)) << text;
        // Documents that say how the command ended say what it said.
        EXPECT_EQ(exit_code, document.value("exit_code", exit_code)) << text;
        seen_.insert(schema);
        return document;
    }
    [[nodiscard]] static std::set<std::string> published() {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(kSource + "reports/schema")) {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

    std::set<std::string> seen_;
};

TEST_F(JsonDocuments, EachKeepsToItsSchemaAndEachSchemaHasOne) {
    const std::string leaks = write_pair("leaks.json", R"("check": ["leak"], )");
    const std::string bad = write("bad.json", "{");
    for (const char* verb : {"run", "replay", "explore", "fuzz"}) {
        printed({verb, leaks, bad});
    }
    const json found = printed({"explore", leaks, "--out", path("out")});
    checked(read_whole(found["violations"][0]["trace_file"].get<std::string>()), 0);
    const std::string proved = kSource + "scenarios/every_number/repaired.json";
    printed({"prove", proved, leaks, bad});
    const std::string certificate = path("certificate.json");
    printed({"prove", proved, "--certificate", certificate});
    checked(read_whole(certificate), 0);
    printed({"check-certificate", certificate, proved});
    const std::string passes =
        kSource + "scenarios/canal/small_scopes/1_caller_unlock_before_down.json";
    printed({"explore", passes, "--certificate", certificate, "--force"});
    checked(read_whole(certificate), 0);
    printed({"check-certificate", certificate, passes});
    printed({"measure", leaks, bad, "--method", "exact"});
    printed({"list"});
    printed({"sweep", kSource + "docs/sweeps/try_retry.sweep.json"});
    const std::string histories = kSource + "examples/histories/";
    printed({"validate", "--history", histories + "mutex_bad.jsonl", "--model", "mutex"});
    printed({"validate", "--history", bad, "--model", "mutex"});
    printed({"validate", "--against", "canal/repaired", "--schedules", "50", leaks, bad,
             kSource + "scenarios/canal/broken/counts_from_zero.json"});
    printed({"validate", "--server", "postgresql", bad});
    printed({"validate", "--program", "true", leaks});
    const std::string night = kSource + "examples/incidents/redis_lock.log";
    printed({"explain", night, "--model", "lease:ttl=1s"});
    printed({"explain", night, "--model", "mutex"});
    printed({"explore", leaks, "--frontier", "quue"});
    EXPECT_EQ(published(), seen_);
}

// The write of a worker whose lease has ended, as the text says it: examples/incidents.
TEST_F(JsonDocuments, AnExplanationNamesTheEffectTheLineAndTheHoldings) {
    const std::string night = kSource + "examples/incidents/redis_lock.log";
    const json told = printed({"explain", night, "--model", "lease:ttl=1s"});
    EXPECT_EQ(kExitViolated, told["exit_code"]);
    ASSERT_EQ(1U, told["locks"].size());
    const json& lock = told["locks"][0];
    EXPECT_EQ("violated", lock["verdict"]);
    EXPECT_EQ(true, lock["explained"]);
    EXPECT_EQ(1, lock["effects_without_lock"]);
    std::size_t effects = 0;
    for (const json& moment : lock["run"]["moments"]) {
        if (moment["without_lock"] == true) {
            ++effects;
            EXPECT_EQ("w1", moment["caller"]);
            EXPECT_EQ(night, moment["line"]["file"]);
        }
    }
    EXPECT_EQ(1U, effects);
    EXPECT_EQ("ran out", lock["run"]["holdings"][0]["ended"]);
    const json refused = printed({"explain", path("none.log"), "--model", "mutex"});
    EXPECT_EQ(kExitInput, refused["exit_code"]);
}

TEST_F(JsonDocuments, ListOfOneThingHasThatOnly) {
    const json one = printed({"list", "P10"});
    ASSERT_EQ(1U, one["properties"].size());
    EXPECT_EQ("caller-death", one["properties"][0]["name"]);
    for (const char* section :
         {"systems", "goals", "models", "strategies", "limits", "exit_codes"}) {
        EXPECT_TRUE(one[section].empty()) << section;
    }
    EXPECT_EQ(one["properties"], printed({"list", "caller-death"})["properties"]);
    EXPECT_EQ(2U, printed({"list", "P10", "leak"})["properties"].size());
    const json whole = printed({"list"});
    EXPECT_EQ(whole["exit_codes"], printed({"list", "exit-codes"})["exit_codes"]);
    EXPECT_EQ(1U, printed({"list", "130"})["exit_codes"].size());
    EXPECT_EQ(1U, printed({"list", "lease_db/repaired"})["systems"].size());
    EXPECT_LT(1U, printed({"list", "lease_db"})["systems"].size());
    EXPECT_EQ(kExitUsage, printed({"list", "P120"})["exit_code"]);
}

TEST_F(JsonDocuments, AUsageErrorIsADocumentWhereJsonIsAskedFor) {
    const std::string leaks = write_pair("leaks.json");
    const json refused = printed({"explore", leaks, "--set", "graze=3"});
    EXPECT_EQ(kExitUsage, refused["exit_code"]);
    EXPECT_EQ(0U, refused["error"].get<std::string>().find("--set: unknown name \"graze\""));
    EXPECT_EQ(kExitUsage, printed({"explroe", leaks})["exit_code"]);
    EXPECT_EQ(kExitUsage, printed({"explore", "--nonsense"})["exit_code"]);
    EXPECT_EQ("", run({"explore", leaks, "--nonsense"}).out);
    EXPECT_EQ("", run({"explore", leaks, "--nonsense", "--format", "xml"}).out);
    const Ran by_variable = run({"explore"}, {{"LOCKKEEPER_FORMAT", "json"}});
    expect_one_line(by_variable, "");
    checked(by_variable.out, kExitUsage);
    EXPECT_EQ("", run({"explore", "--format=text"}, {{"LOCKKEEPER_FORMAT", "json"}}).out);
}

TEST_F(JsonDocuments, AFileThatCannotBeReplacedIsADocumentToo) {
    const std::string leaks = write_pair("leaks.json");
    const std::string other = write("other.txt", "not ours");
    const json refused = printed({"measure", leaks, "--csv", other});
    EXPECT_EQ(kExitInput, refused["exit_code"]);
    EXPECT_EQ("error.schema.json", refused["$schema"]);
}

}  // namespace
}  // namespace lockkeeper
