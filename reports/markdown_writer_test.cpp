// SPDX-License-Identifier: Apache-2.0

// The summary: what did not pass first, and never more than GitHub shows.
#include <gtest/gtest.h>

#include "reports/sample_reports_test.hpp"
#include "reports/xml_complaint_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_reports;

std::string summary_of(std::vector<RunReport> reports) {
    return in_format("markdown", results_of(std::move(reports)));
}

TEST(Markdown, WhatDidNotPassStandsBeforeWhatPassed) {
    const std::string text =
        summary_of({explored("fine.json"), violated(), undecided(), refused()});
    EXPECT_EQ(0U, text.find("<!-- written by lockkeeper -->\n## lockkeeper explore: 1 passed, 1 "
                            "failed, 1 undecided, 1 not run\n"));
    EXPECT_LT(text.find("| failed | scenarios/canal/leak.json | violated: P2 leak in 2 steps |"),
              text.find("| passed | fine.json |"));
    EXPECT_TRUE(contains(text, "| undecided | scenarios/canal/large.json |"));
    EXPECT_TRUE(contains(text, "| not run | scenarios/canal/bad.json |"));
    EXPECT_TRUE(contains(text, "lockkeeper replay x.json --schedule"));
}

TEST(Markdown, NamesAreTextAndNoMarkup) {
    RunReport report = violated("a|b`c<img src=x>@maintainers_[x](y)#1\n|evil|");
    report.findings.front().trace.steps.front().text = "````\n</details>";
    const std::string text = summary_of({report});
    EXPECT_TRUE(contains(text,
                         "| a\\|b\\`c&lt;img src=x&gt;&#64;maintainers\\_\\[x\\](y)\\#1 "
                         "\\|evil\\| |"))
        << text;
    EXPECT_FALSE(contains(text, "\n|evil"));
    // The text of a run ends neither its block nor the details around it.
    EXPECT_TRUE(contains(text, "````\n&lt;/details&gt;")) << text;
    EXPECT_EQ(count_of(text, "<details"), count_of(text, "</details>"));
    EXPECT_EQ(1U, count_of(text, "</pre>"));
}

TEST(Markdown, TenThousandFilesAreLessThanOneMebibyte) {
    std::vector<RunReport> reports;
    for (int i = 0; i < 10'000; ++i) {
        const std::string name = "scenarios/" + std::string(100, 'd') + std::to_string(i) + ".json";
        reports.push_back(i % 3 == 0 ? violated(name) : explored(name));
    }
    const std::string text = summary_of(std::move(reports));
    EXPECT_LT(text.size(), 1U << 20U);
    EXPECT_GT(text.size(), 500'000U);
    EXPECT_TRUE(contains(text, "runs left out: the summary would be too long"));
    EXPECT_TRUE(contains(text, "files left out: the summary would be too long"));
    EXPECT_TRUE(contains(text, "6666 passed, 3334 failed"));
}

TEST(Markdown, OneNameAsLongAsASummaryIsShortened) {
    EXPECT_LT(summary_of({violated(std::string(1'200'000, 'x'))}).size(), 1U << 20U);
}

TEST(Markdown, AnInterruptIsSaid) {
    Results results = results_of({explored()});
    results.cases_count = 3;
    results.exit_code = kExitInterrupted;
    EXPECT_TRUE(
        contains(in_format("markdown", results), "\n**interrupted: 2 of 3 cases not run**\n"));
}

}  // namespace
}  // namespace lockkeeper
