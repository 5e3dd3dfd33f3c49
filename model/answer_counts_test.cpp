// SPDX-License-Identifier: Apache-2.0
#include "model/answer_counts.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

TEST(AnswerCounts, WithoutAGrantNothingHasPassed) {
    EXPECT_EQ("nothing was ever granted: 0 grants, 0 refusals, 0 errors, 0 indefinite answers",
              AnswerCounts{}.what_is_missing());
    AnswerCounts refused;
    refused.refusals = 1;
    refused.indefinite_answers = 2;
    EXPECT_EQ("nothing was ever granted: 0 grants, 1 refusal, 0 errors, 2 indefinite answers",
              refused.what_is_missing());
    refused.refusals_while_free = 1;
    EXPECT_EQ(
        "0 grants, 1 refusal (1 while a place was free: others were asking), 0 errors, 2 "
        "indefinite answers",
        refused.to_text());
    refused.grants = 1;
    EXPECT_EQ("", refused.what_is_missing());
}

TEST(AnswerCounts, RunsThatWereAllCutHaveNotPassed) {
    AnswerCounts counts;
    counts.grants = 3;
    counts.runs = 2;
    counts.cut_runs = 1;
    EXPECT_EQ("", counts.what_is_missing());
    counts += counts;
    EXPECT_EQ(6U, counts.grants);
    EXPECT_EQ("", counts.what_is_missing());
    counts.cut_runs = 4;
    EXPECT_EQ("every run was cut before its scripts had ended", counts.what_is_missing());
}

}  // namespace
}  // namespace lockkeeper
