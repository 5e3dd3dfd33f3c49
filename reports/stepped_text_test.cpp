// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reports/texts.hpp"

namespace lockkeeper {
namespace {

std::string text_of_search(const OutsideResult& result, const std::string& strategy = "both") {
    RunReport report;
    report.strategy = strategy;
    SteppedAnswer answer;
    answer.searched = result;
    return stepped_text(report, answer);
}

OutsideResult ended_by(const std::string& limit) {
    OutsideResult result;
    result.schedules = 10'000;
    result.limit = limit;
    return result;
}

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(SteppedText, SaysWhatEachOfTheTwoSearchesDid) {
    OutsideResult result = ended_by("schedules");
    EXPECT_EQ(std::string::npos, text_of_search(result, "random").find("searches"));
    result.explored_first = {5'000, "schedules"};
    EXPECT_TRUE(has_line(text_of_search(result),
                         "searches                explore ended by its budget after 5,000 "
                         "schedules; random: 5,000"))
        << text_of_search(result);
    result.explored_first = {1, "time"};
    EXPECT_TRUE(has_line(text_of_search(result),
                         "searches                explore ended by its half of the time after 1 "
                         "schedule; random: 9,999"))
        << text_of_search(result);
    result.explored_first = {7, ""};
    EXPECT_TRUE(has_line(text_of_search(result),
                         "searches                explore ended within its bounds after 7 "
                         "schedules; random: 9,993"))
        << text_of_search(result);
}

TEST(SteppedText, SaysWhatToTryNextWhereSomethingIsLeft) {
    EXPECT_TRUE(has_line(text_of_search(ended_by("schedules")),
                         "try next                --schedules 100000; --search random; fewer "
                         "callers or calls, to explore all of them"))
        << text_of_search(ended_by("schedules"));
    EXPECT_TRUE(has_line(text_of_search(ended_by("time"), "random"),
                         "try next                a longer --time-limit; fewer callers or calls, "
                         "to explore all of them"))
        << text_of_search(ended_by("time"), "random");
    OutsideResult bounded = ended_by("");
    bounded.preemptions_done = 2;
    EXPECT_TRUE(has_line(text_of_search(bounded, "explore"),
                         "try next                --preemptions 3; --search random; fewer callers "
                         "or calls, to explore all of them"))
        << text_of_search(bounded, "explore");
    OutsideResult cut = ended_by("schedules");
    cut.tally.answers.cut_runs = 3;
    EXPECT_NE(std::string::npos, text_of_search(cut).find("; a larger --max-steps; "));
}

TEST(SteppedText, HasNothingToTryWhereAllIsSaid) {
    OutsideResult complete = ended_by("");
    complete.complete = true;
    EXPECT_EQ(std::string::npos, text_of_search(complete).find("try next"));
    OutsideResult violated = ended_by("schedules");
    violated.finding.emplace();
    EXPECT_EQ(std::string::npos, text_of_search(violated).find("try next"));
    EXPECT_EQ(std::string::npos, text_of_search(ended_by("interrupted")).find("try next"));
}

}  // namespace
}  // namespace lockkeeper
