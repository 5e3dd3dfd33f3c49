// SPDX-License-Identifier: Apache-2.0

// --reduction from the command line: what the head of the report says, and JSON.
#include "app/command_test.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kTwoCallers = R"({"version": 1, "system": "canal", "callers": [
    {"name": "A", "count": 2, "script": [{"acquire": {"key": "db"}}, {"release": {"key": "db"}}]}],
    "check": ["over-allocation"])";

class ReductionFlag : public WithFiles {
  protected:
    std::string explored(const std::string& rest, const std::vector<std::string>& flags = {}) {
        const std::string file = path("two.json");
        std::ofstream(file) << kTwoCallers << rest << "}";
        std::vector<std::string> arguments{"explore", file};
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        const Ran ran = run(arguments);
        EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
        return ran.out;
    }
    nlohmann::json json_of(const std::string& rest, const std::vector<std::string>& flags = {}) {
        std::vector<std::string> all = flags;
        all.insert(all.end(), {"--format", "json"});
        const std::string text = explored(rest, all);
        EXPECT_EQ("", testing_scenarios::report_complaint(text, "result.schema.json")) << text;
        return nlohmann::json::parse(text)["files"][0];
    }
};

// canal_sizes.hpp: under sanitizers the canal lock has no searches of its own.
#define SKIP_WITHOUT_PRIVATE_STEPS()                                     \
    if (testing_model::kIsSanitized) {                                   \
        GTEST_SKIP() << "no private steps and sleep sets in this build"; \
    }

TEST_F(ReductionFlag, TheHeadSaysWhatIsUsedAndHowToSwitchItOff) {
    SKIP_WITHOUT_PRIVATE_STEPS();
    EXPECT_TRUE(contains(explored(""),
                         "reductions: symmetry, sleep sets; beyond 300,000 states also private "
                         "steps (lengths not promised shortest) (auto; --reduction none uses "
                         "none)\n"));
    EXPECT_TRUE(contains(explored("", {"--reduction", "symmetry"}),
                         "reductions: symmetry, sleep sets (--reduction none uses none)\n"));
    EXPECT_TRUE(contains(explored("", {"--reduction", "none"}), "reductions: none\n"));
    EXPECT_TRUE(contains(explored(R"(, "reduction": "none")"), "reductions: none\n"));
}

TEST_F(ReductionFlag, TheHeadSaysWhyNoMoreIsUsed) {
    EXPECT_TRUE(contains(explored(R"(, "expect": {"complete": true, "terminal_states": 1})"),
                         "; no more: the scenario pins counts (auto;"));
    EXPECT_TRUE(
        contains(explored("", {"--keep-going"}), "; no more: every cause is looked for (auto;"));
}

TEST_F(ReductionFlag, JsonSaysWhatWasUsed) {
    SKIP_WITHOUT_PRIVATE_STEPS();
    const nlohmann::json automatic = json_of("");
    EXPECT_EQ(automatic["reductions"], nlohmann::json::parse(R"(["symmetry", "sleep-sets"])"));
    EXPECT_EQ(automatic["states_before"], 0);
    EXPECT_EQ(automatic["keeps_lengths"], true);
    EXPECT_TRUE(contains(automatic["reductions_text"].get<std::string>(), "beyond 300,000"));
    const nlohmann::json none = json_of("", {"--reduction", "none"});
    EXPECT_EQ(none["reductions"], nlohmann::json::array());
    EXPECT_GT(none["states"], automatic["states"]);
    const nlohmann::json named = json_of("", {"--reduction", "private-steps"});
    EXPECT_EQ(named["reduction"], "private-steps");
    EXPECT_EQ(named["keeps_lengths"], false);
    EXPECT_LT(named["states"], automatic["states"]);
}

}  // namespace
}  // namespace lockkeeper
