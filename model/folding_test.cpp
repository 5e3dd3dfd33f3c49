// SPDX-License-Identifier: Apache-2.0
#include "model/folding.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

std::string text_of(const std::vector<Fold>& folds) {
    std::string text;
    for (const Fold& fold : folds) {
        text += text.empty() ? "" : " ";
        text += fold.group.empty() ? std::to_string(fold.value) : "(" + text_of(fold.group) + ")";
        text += fold.times > 1 ? "*" + std::to_string(fold.times) : "";
    }
    return text;
}

std::string folded_text(const std::string& digits) {
    std::vector<std::uint32_t> values;
    for (const char digit : digits) {
        values.push_back(static_cast<std::uint32_t>(digit - '0'));
    }
    return text_of(folded(values, {2, 3}));
}

void unfold(const std::vector<Fold>& folds, std::vector<std::uint32_t>& out) {
    for (const Fold& fold : folds) {
        for (std::size_t i = 0; i < fold.times; ++i) {
            if (fold.group.empty()) {
                out.push_back(fold.value);
            } else {
                unfold(fold.group, out);
            }
        }
    }
}

TEST(Folding, writes_what_is_repeated_once) {
    EXPECT_EQ("", folded_text(""));
    EXPECT_EQ("1 2 3", folded_text("123"));
    EXPECT_EQ("1*3 2", folded_text("1112"));
    EXPECT_EQ("(1 2*2)*3", folded_text("122122122"));
    EXPECT_EQ("0 (1 2)*4 1", folded_text("0121212121"));
}

TEST(Folding, leaves_a_group_that_comes_twice) {
    EXPECT_EQ("1 2 1 2", folded_text("1212"));
    EXPECT_EQ("1 2 1*2 2 1", folded_text("121121"));
}

TEST(Folding, puts_groups_into_groups) {
    EXPECT_EQ("((1 2)*3 4)*3", folded_text("121212412121241212124"));
}

TEST(Folding, finds_a_long_group) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t i = 0; i < 34 * 500; ++i) {
        values.push_back(i % 500 * 7);
    }
    const auto folds = folded(values, {2, 3});
    ASSERT_EQ(1U, folds.size());
    EXPECT_EQ(34U, folds[0].times);
    EXPECT_EQ(500U, folds[0].group.size());
}

// Nothing repeats, and everything nearly does.
TEST(Folding, keeps_every_value_of_a_very_long_sequence) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        values.push_back(i % 1000 == 0 ? i : i % 2);
    }
    std::vector<std::uint32_t> again;
    unfold(folded(values, {2, 3}), again);
    EXPECT_EQ(values, again);
}

}  // namespace
}  // namespace lockkeeper
