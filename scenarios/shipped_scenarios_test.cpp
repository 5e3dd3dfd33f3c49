// SPDX-License-Identifier: Apache-2.0

// Every scenario file of the repository is well formed; whether it meets its expectation is
// tested by running it (cmake/LockkeeperTests.cmake, scenarios_*).
#include <map>

#include "model/json.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/cases.hpp"
#include "scenarios/scenario_test_support.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;
namespace fs = std::filesystem;

// One test for all files: a process for each of many hundred costs more than the reading.
template <class Check>
void for_each_shipped_file(Check check) {
    const auto files = shipped_scenarios();
    ASSERT_GT(files.size(), 400U);
    for (const fs::path& file : files) {
        SCOPED_TRACE(file.string());
        check(file);
    }
}

// Each case of each file.
template <class Check>
void for_each_shipped_scenario(Check check) {
    for_each_shipped_file([&](const fs::path& file) {
        for (const std::string& one : each_case(file.string())) {
            SCOPED_TRACE(one);
            const auto parsed = load_scenario(one);
            if (const auto* error = std::get_if<InputError>(&parsed)) {
                FAIL() << error->text();
            }
            check(std::get<Scenario>(parsed));
        }
    });
}

TEST(ShippedScenarios, ParseAndSayWhatTheyAreAbout) {
    for_each_shipped_scenario([](const Scenario& scenario) {
        EXPECT_GE(scenario.about.size(), 40U) << "an idea needs a sentence";
    });
}

TEST(ShippedScenarios, MeetThePublishedSchemaAndNameIt) {
    for_each_shipped_file([](const fs::path& file) {
        const auto document = nlohmann::json::parse(read_whole(file));
        EXPECT_EQ(scenario_complaint(document), "");
        ASSERT_TRUE(document.contains("$schema"));
        const auto named = file.parent_path() / document["$schema"].get<std::string>();
        EXPECT_TRUE(fs::equivalent(named, scenarios_folder() / "schema" / "scenario.schema.json"))
            << named;
    });
}

TEST(ShippedScenarios, AreTheSameAfterWritingAndReading) {
    std::size_t seen = 0;
    for_each_shipped_scenario([&](const Scenario& scenario) {
        const std::string text = to_json_text(scenario);
        EXPECT_TRUE(same(scenario, accepted(text))) << text;
        // Under sanitizers some of them: the validator is not ours, and takes most of the time.
        if (!testing_model::kIsSanitized || seen++ % 8 == 0) {
            EXPECT_EQ(scenario_complaint(nlohmann::json::parse(text)), "");
        }
    });
}

// By the name of its file, or of its case.
std::map<std::string, Scenario> scenarios_in(const char* folder) {
    std::map<std::string, Scenario> scenarios;
    for (const auto& entry : fs::directory_iterator(scenarios_folder() / "canal" / folder)) {
        for (const std::string& one : each_case(entry.path().string())) {
            const std::string name = named_case(one).name;
            scenarios[name.empty() ? entry.path().stem().string() : name] =
                std::get<Scenario>(load_scenario(one));
        }
    }
    return scenarios;
}

// The repaired lock passes what the faithful canal lock fails, in the same scope.
TEST(ShippedScenarios, HaveForEachFindingOfTheCanalLockTheRepairedOneInTheSameScope) {
    const auto findings = scenarios_in("findings");
    const auto repaired = scenarios_in("repaired");
    EXPECT_GT(findings.size(), 30U);
    EXPECT_EQ(findings.size(), repaired.size());
    for (const auto& [name, finding] : findings) {
        SCOPED_TRACE(name);
        const Scenario& scenario = repaired.at(name);
        EXPECT_TRUE(same(scenario.world, finding.world));
        EXPECT_EQ(scenario.variant, "repaired");
        EXPECT_EQ(scenario.check, std::vector<std::string>{"all"});
        EXPECT_TRUE(is<Passed>(scenario.expect.verdict));
        EXPECT_TRUE(scenario.expect.complete);
    }
}

// Files of all kinds as they were before cases. `now` says the same today.
TEST(OldScenarioFiles, AreStillReadAndSayWhatTheirCasesSay) {
    const auto old_files =
        nlohmann::json::parse(read_whole(scenarios_folder() / "schema" / "old_files.json"));
    EXPECT_GT(old_files.size(), 50U);
    for (const auto& old : old_files) {
        SCOPED_TRACE(old["file"].dump());
        Scenario before = accepted(old["document"].dump());
        EXPECT_EQ(scenario_complaint(old["document"]), "");
        const auto now = load_scenario((scenarios_folder().parent_path() / old["now"]).string());
        ASSERT_TRUE(std::holds_alternative<Scenario>(now));
        before.about = std::get<Scenario>(now).about;  // prose that may name other files
        EXPECT_TRUE(same(before, std::get<Scenario>(now)));
    }
}

// The examples of the documentation are there to be copied.
TEST(DocumentedScenarios, ParseAndMeetThePublishedSchema) {
    const std::string fence = "```json\n";
    std::size_t examples_count = 0;
    for (const char* page : {"howto/write_a_scenario.md", "reference/scripts.md"}) {
        const std::string text = read_whole(scenarios_folder().parent_path() / "docs" / page);
        for (std::size_t begin = text.find(fence); begin != std::string::npos;
             begin = text.find(fence, begin + 1)) {
            const std::size_t first = begin + fence.size();
            const std::string example = text.substr(first, text.find("```", first) - first);
            const bool has_cases = example.find("\"cases\"") != std::string::npos;
            EXPECT_EQ(refusal(example, has_cases ? "x.json#faithful" : "x.json"), "accepted")
                << example;
            EXPECT_EQ(scenario_complaint(nlohmann::json::parse(example)), "") << example;
            ++examples_count;
        }
    }
    EXPECT_EQ(examples_count, 6U);
}

}  // namespace
}  // namespace lockkeeper
