// Every scenario file of the repository is well formed; whether it meets its expectation is
// tested by running it (cmake/LockkeeperTests.cmake, scenarios_*).
#include <set>

#include <nlohmann/json.hpp>

#include "scenarios/scenario_test_support.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;
namespace fs = std::filesystem;

// One test for all files: a process for each of many hundred costs more than the reading.
template <class Check>
void for_each_shipped_scenario(Check check) {
    const auto files = shipped_scenarios();
    ASSERT_GT(files.size(), 400U);
    for (const fs::path& file : files) {
        SCOPED_TRACE(file.string());
        check(file);
    }
}

TEST(ShippedScenarios, ParseAndSayWhatTheyAreAbout) {
    for_each_shipped_scenario([](const fs::path& file) {
        const auto parsed = load_scenario(file.string());
        if (const auto* error = std::get_if<InputError>(&parsed)) {
            FAIL() << error->text();
        }
        EXPECT_GE(std::get<Scenario>(parsed).about.size(), 40U) << "an idea needs a sentence";
    });
}

TEST(ShippedScenarios, MeetThePublishedSchemaAndNameIt) {
    for_each_shipped_scenario([](const fs::path& file) {
        const auto document = nlohmann::json::parse(read_whole(file));
        EXPECT_EQ(scenario_complaint(document), "");
        ASSERT_TRUE(document.contains("$schema"));
        const auto named = file.parent_path() / document["$schema"].get<std::string>();
        EXPECT_TRUE(fs::equivalent(named, scenarios_folder() / "schema" / "scenario.schema.json"))
            << named;
    });
}

TEST(ShippedScenarios, AreTheSameAfterWritingAndReading) {
    for_each_shipped_scenario([](const fs::path& file) {
        const auto parsed = load_scenario(file.string());
        ASSERT_TRUE(std::holds_alternative<Scenario>(parsed));
        const auto& scenario = std::get<Scenario>(parsed);
        const std::string text = to_json_text(scenario);
        EXPECT_TRUE(same(scenario, accepted(text))) << text;
        EXPECT_EQ(scenario_complaint(nlohmann::json::parse(text)), "");
    });
}

// What the faithful canal lock fails, the repaired one passes in the same scope.
TEST(ShippedScenarios, HaveForEachFindingOfTheCanalLockTheRepairedOneInTheSameScope) {
    const auto names_in = [](const char* folder) {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(scenarios_folder() / "canal" / folder)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    };
    const std::set<std::string> findings = names_in("findings");
    EXPECT_GT(findings.size(), 30U);
    EXPECT_EQ(findings, names_in("repaired"));
    for (const std::string& name : findings) {
        const auto read = [&](const char* folder) {
            return nlohmann::json::parse(read_whole(scenarios_folder() / "canal" / folder / name));
        };
        const auto finding = read("findings");
        const auto repaired = read("repaired");
        for (const char* same : {"callers", "faults", "view", "resizes"}) {
            EXPECT_EQ(repaired.value(same, nlohmann::json()), finding.value(same, nlohmann::json()))
                << name << " " << same;
        }
        EXPECT_EQ(repaired["variant"], "repaired") << name;
        EXPECT_EQ(repaired["check"], "all") << name;
        EXPECT_EQ(repaired["expect"]["verdict"], "passed") << name;
        EXPECT_TRUE(repaired["expect"]["complete"]) << name;
    }
}

// The examples of the documentation are there to be copied.
TEST(DocumentedScenarios, ParseAndMeetThePublishedSchema) {
    const std::string text = read_whole(scenarios_folder().parent_path() / "docs/SCENARIOS.md");
    const std::string fence = "```json\n";
    std::size_t examples_count = 0;
    for (std::size_t begin = text.find(fence); begin != std::string::npos;
         begin = text.find(fence, begin + 1)) {
        const std::size_t first = begin + fence.size();
        const std::string example = text.substr(first, text.find("```", first) - first);
        EXPECT_EQ(refusal(example), "accepted") << example;
        EXPECT_EQ(scenario_complaint(nlohmann::json::parse(example)), "") << example;
        ++examples_count;
    }
    EXPECT_EQ(examples_count, 6U);
}

}  // namespace
}  // namespace lockkeeper
