// SPDX-License-Identifier: Apache-2.0
#include "reports/progress.hpp"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

ExploreProgress at(double seconds) { return {1000, 5000, 7, 30, 2048, seconds, {}, {}}; }

TEST(Progress, PlainLinesEveryFiveSeconds) {
    std::ostringstream err;
    {
        ProgressLine line(err, false, false);
        for (double seconds = 0; seconds < 11; seconds += 0.1) {
            line.show(at(seconds));
        }
    }
    const std::string text = err.str();
    EXPECT_EQ(2, std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(0U, text.find("1,000 states, 5,000 transitions, depth 7, frontier 30, 2.0 KiB, "));
    EXPECT_EQ(std::string::npos, text.find('\r'));
    EXPECT_EQ(std::string::npos, text.find('\x1b'));
}

// `prove` explores number after number, and the seconds begin again with each.
TEST(Progress, WhatBeginsAfterwardsIsShownAsSoon) {
    std::ostringstream err;
    ProgressLine line(err, false, false);
    line.show(at(60));
    line.show(at(1));
    line.show(at(4));
    line.show(at(6));
    const std::string text = err.str();
    EXPECT_EQ(2, std::count(text.begin(), text.end(), '\n')) << text;
}

TEST(Progress, OfAProofSaysWhatIsDoneAndHowMuch) {
    proofs::ProofProgress progress{"seeking a proof by counts", 1'500, 0, 20, 300, 2};
    EXPECT_EQ(progress_text(progress, {0, 60}),
              "seeking a proof by counts: 1,500 combinations, 20 shared values, 300 situations of "
              "a caller, 2.00 s, at most 58 s left");
    progress = {"taking the steps again", 10, 40, 0, 0, 1};
    EXPECT_EQ(progress_text(progress), "taking the steps again: 10 of 40 combinations, 1.00 s");
    progress.what = "states";
    EXPECT_EQ(progress_text(progress), "taking the steps again: 10 of 40 states, 1.00 s");
}

TEST(Progress, AnEstimateComesWithItsRange) {
    ExploreProgress progress = at(2);
    EXPECT_EQ(std::string::npos, progress_text(progress).find("estimate"));
    progress.estimate = TotalEstimate{15'300, 9'000, 40'000};
    EXPECT_NE(std::string::npos,
              progress_text(progress).find(", estimate 1.5e+04 states (9e+03 to 4e+04)"));
}

TEST(Progress, AnEstimateIsOneOfTimeAsWell) {
    ExploreProgress progress = at(20);
    progress.estimate = TotalEstimate{10'000, 1'500, 1'000'000};
    EXPECT_NE(std::string::npos, progress_text(progress).find(", about 3 min left (10 s to 6 h)"))
        << progress_text(progress);
    EXPECT_NE(std::string::npos,
              progress_text(progress, {0, 60}).find(", about 40 s left (10 s to 40 s)"))
        << progress_text(progress, {0, 60});
}

TEST(Progress, WhatTakesMoreThanAYearIsNotCountedInDays) {
    ExploreProgress progress = at(20);
    progress.estimate = TotalEstimate{1e18, 1'500, 1e21};
    EXPECT_NE(std::string::npos,
              progress_text(progress).find(", more than a year left (10 s to more than a year)"))
        << progress_text(progress);
    progress.estimate = TotalEstimate{1e18, 1e17, 1e21};
    EXPECT_TRUE(progress_text(progress).ends_with(", more than a year left"))
        << progress_text(progress);
    progress.estimate = TotalEstimate{1'000'000, 1'500, 1e21};
    EXPECT_NE(std::string::npos,
              progress_text(progress).find(", about 6 h left (10 s to more than a year)"))
        << progress_text(progress);
    const FuzzProgress fuzzing{1'000, 50'000, 10};
    EXPECT_EQ(std::string::npos, progress_text(fuzzing, {1'000'000'000'000}).find("left"));
}

TEST(Progress, WhatEndsAtALimitSaysHowLongThatTakesAtMost) {
    const FuzzProgress fuzzing{1'000, 50'000, 10};
    EXPECT_NE(std::string::npos, progress_text(fuzzing, {5'000}).find(", at most 40 s left"));
    EXPECT_NE(std::string::npos, progress_text(fuzzing, {5'000, 30}).find(", at most 20 s left"));
    EXPECT_NE(std::string::npos, progress_text(fuzzing, {900, 30}).find(", at most 0 s left"));
    EXPECT_EQ(std::string::npos, progress_text(fuzzing, {0, 1e18}).find("left"));
    EXPECT_EQ(std::string::npos, progress_text(FuzzProgress{0, 0, 0}, {10}).find("left"));
    EXPECT_NE(std::string::npos,
              progress_text(MeasureProgress{10, 3600}, {1'000}).find(", at most 4.12 days left"));
}

TEST(Progress, TwiceASecondOnATerminalAndGoneAtTheEnd) {
    std::ostringstream err;
    {
        ProgressLine line(err, true, false);
        for (double seconds = 0; seconds < 2.05; seconds += 0.01) {
            line.show(at(seconds));
        }
    }
    const std::string text = err.str();
    EXPECT_LE(std::count(text.begin(), text.end(), '\r'), 4 + 2);
    EXPECT_GE(std::count(text.begin(), text.end(), '\r'), 3 + 2);
    EXPECT_EQ(std::string::npos, text.find('\n'));
    EXPECT_EQ('\r', text.back());
}

TEST(Progress, QuietIsSilent) {
    std::ostringstream err;
    {
        ProgressLine line(err, true, true);
        line.show(at(100));
        line.show(FuzzProgress{1, 2, 300});
    }
    EXPECT_EQ("", err.str());
}

}  // namespace
}  // namespace lockkeeper
