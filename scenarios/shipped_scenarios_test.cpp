// Every scenario file of the repository is well formed; whether it meets its expectation is
// tested where scenarios are run.
#include "scenarios/scenario_test_support.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;
namespace fs = std::filesystem;

class AShippedScenario : public ::testing::TestWithParam<fs::path> {};

TEST_P(AShippedScenario, ParsesAndSaysWhatItIsAbout) {
    const auto parsed = load_scenario(GetParam().string());
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        FAIL() << error->text();
    }
    EXPECT_GE(std::get<Scenario>(parsed).about.size(), 40U) << "an idea needs a sentence";
}

TEST_P(AShippedScenario, MeetsThePublishedSchemaAndNamesIt) {
    const auto document = nlohmann::json::parse(read_whole(GetParam()));
    EXPECT_EQ(published_schema().why(document), "");
    ASSERT_TRUE(document.contains("$schema"));
    const auto named = GetParam().parent_path() / document["$schema"].get<std::string>();
    EXPECT_TRUE(fs::equivalent(named, scenarios_folder() / "schema" / "scenario.schema.json"))
        << named;
}

TEST_P(AShippedScenario, IsTheSameAfterWritingAndReading) {
    const auto parsed = load_scenario(GetParam().string());
    ASSERT_TRUE(std::holds_alternative<Scenario>(parsed));
    const auto& scenario = std::get<Scenario>(parsed);
    const std::string text = to_json_text(scenario);
    EXPECT_TRUE(same(scenario, accepted(text))) << text;
    EXPECT_EQ(published_schema().why(nlohmann::json::parse(text)), "");
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
        EXPECT_EQ(published_schema().why(nlohmann::json::parse(example)), "") << example;
        ++examples_count;
    }
    EXPECT_EQ(examples_count, 4U);
}

std::string name_of_file(const ::testing::TestParamInfo<fs::path>& info) {
    std::string name = fs::relative(info.param, scenarios_folder()).replace_extension().string();
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Files, AShippedScenario, ::testing::ValuesIn(shipped_scenarios()),
                         name_of_file);

}  // namespace
}  // namespace lockkeeper
