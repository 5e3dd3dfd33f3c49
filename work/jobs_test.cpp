// SPDX-License-Identifier: Apache-2.0

// Jobs without a command line: a registry, what is asked, and a report comes back.
#include "work/jobs.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "scenarios/registry/shipped_systems.hpp"
#include "work/failure.hpp"

namespace lockkeeper {
namespace {

const std::string kLeak = LOCKKEEPER_SOURCE_DIR "/scenarios/canal/findings/leak_two_callers.json";

class Jobs : public ::testing::Test {
  protected:
    [[nodiscard]] Desk desk() {
        Desk desk{registry_, asked_, out_};
        desk.on_head = [this](const RunReport& report) { heads_.push_back(report.scope); };
        desk.on_complaint = [this](const std::string& problem) { complaints_.push_back(problem); };
        return desk;
    }

    const Registry registry_ = shipped_systems();
    Asked asked_;
    std::ostringstream out_;
    std::vector<std::string> heads_;
    std::vector<std::string> complaints_;
};

TEST_F(Jobs, an_exploration_gives_a_report_and_prints_nothing) {
    asked_.command = "explore";
    const RunReport report = explore_scenario(desk(), kLeak);
    EXPECT_TRUE(is<Violated>(report.verdict));
    ASSERT_EQ(1U, report.findings.size());
    EXPECT_EQ("leak", report.findings.front().property->name);
    EXPECT_EQ(report.findings.front().schedule.actions.size(),
              report.findings.front().trace.steps.size());
    EXPECT_EQ("explore", report.command);
    EXPECT_EQ(std::vector<std::string>{report.scope}, heads_);
    EXPECT_TRUE(complaints_.empty());
    EXPECT_EQ("", out_.str());
}

TEST_F(Jobs, a_test_tells_its_head_only_to_who_asks_for_it) {
    const RunReport quiet = test_scenario(desk(), kLeak);
    ASSERT_TRUE(quiet.met);
    EXPECT_TRUE(is<Passed>(*quiet.met)) << "the violation is expected";
    EXPECT_TRUE(heads_.empty());
    asked_.verbose = true;
    static_cast<void>(test_scenario(desk(), kLeak));
    EXPECT_EQ(1U, heads_.size());
}

TEST_F(Jobs, a_file_that_is_not_there_is_a_verdict_and_a_complaint) {
    std::vector<std::string> told;
    const RunReport report = run_one_file(
        {"/nowhere/at/all.json", ""}, "fuzz",
        [&](const std::string& file) { return fuzz_scenario(desk(), file); },
        [&](const std::string& problem) { told.push_back(problem); });
    EXPECT_TRUE(is<RefusedFile>(report.verdict));
    EXPECT_EQ(1U, told.size());
    EXPECT_TRUE(heads_.empty());
}

TEST_F(Jobs, flags_that_were_given_are_pasted_again_with_their_values) {
    asked_.given = {{"--set", "grace=3"}, {"--bounds", "on", true}, {"--seed", "7"}};
    EXPECT_EQ(" --set grace=3 --bounds", given_again(asked_, {"--bounds", "--set"}));
    EXPECT_TRUE(is_given(asked_, "--seed"));
    EXPECT_FALSE(is_given(asked_, "--law"));
}

}  // namespace
}  // namespace lockkeeper
