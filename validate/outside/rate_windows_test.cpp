// SPDX-License-Identifier: Apache-2.0

// Tests which grants are certainly, and which are possibly, in a window.
#include "validate/outside/rate_windows.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

using Steps = std::vector<std::uint32_t>;

RateWindows windows_of_ten(std::int64_t grain = 0) {
    return {RateLimit{.grants = 1, .within = 10}, grain};
}

TEST(RateWindows, HaveTheirBeginningAndNotTheirEnd) {
    RateWindows windows = windows_of_ten();
    windows.grant(0, 100, 100, 7);
    EXPECT_EQ(Steps{7}, windows.certain(0, 109));
    EXPECT_EQ(1U, windows.possible(0, 109));
    EXPECT_EQ(Steps{}, windows.certain(0, 110));
    EXPECT_EQ(0U, windows.possible(0, 110));
    EXPECT_EQ(Steps{}, windows.certain(1, 100)) << "of another key";
}

TEST(RateWindows, CountAGrantFromTheFirstMomentOfItsCallWhereItIsToBeCertain) {
    RateWindows windows = windows_of_ten();
    windows.grant(0, 100, 104, 7);
    EXPECT_EQ(Steps{}, windows.certain(0, 110));
    EXPECT_EQ(1U, windows.possible(0, 113));
    EXPECT_EQ(0U, windows.possible(0, 114));
    EXPECT_EQ(114, windows.free_at(0));
}

TEST(RateWindows, LeaveAGrainOpenOnEitherSide) {
    RateWindows windows = windows_of_ten(2);
    windows.grant(0, 100, 100, 7);
    EXPECT_EQ(Steps{7}, windows.certain(0, 107));
    EXPECT_EQ(Steps{}, windows.certain(0, 108));
    EXPECT_EQ(1U, windows.possible(0, 111));
    EXPECT_EQ(0U, windows.possible(0, 112));
}

TEST(RateWindows, NeverCountADoubtAsCertain) {
    RateWindows windows = windows_of_ten();
    windows.doubt(0, 100, 103);
    EXPECT_EQ(Steps{}, windows.certain(0, 104));
    EXPECT_EQ(1U, windows.possible(0, 112));
    EXPECT_EQ(0U, windows.possible(0, 113));
    windows.doubt(0, 100, kAnyLater);
    EXPECT_EQ(1U, windows.possible(0, 1'000'000));
    EXPECT_EQ(kAnyLater, windows.free_at(0));
}

TEST(RateWindows, NameTheNextMomentAtWhichOneIsOver) {
    RateWindows windows = windows_of_ten();
    EXPECT_EQ(std::nullopt, windows.next_end(0));
    windows.grant(0, 100, 100, 7);
    windows.grant(1, 103, 103, 8);
    windows.doubt(0, 100, kAnyLater);
    EXPECT_EQ(110, windows.next_end(100));
    EXPECT_EQ(113, windows.next_end(110));
    EXPECT_EQ(std::nullopt, windows.next_end(113));
}

TEST(RateWindows, ForgetWhatDecidesNothingAnyMore) {
    RateWindows windows = windows_of_ten();
    windows.grant(0, 100, 100, 7);
    EXPECT_FALSE(windows.forget(109));
    EXPECT_TRUE(windows.forget(110));
    EXPECT_FALSE(windows.forget(110));
    EXPECT_TRUE(windows.was_granted(0));
    EXPECT_FALSE(windows.was_granted(1));
}

TEST(RateWindows, AreTheSameWhereAllIsAsLongAgo) {
    RateWindows one = windows_of_ten();
    RateWindows other = windows_of_ten();
    one.grant(0, 100, 101, 7);
    other.grant(0, 200, 201, 9);
    std::string first;
    std::string second;
    one.write_key(103, first);
    other.write_key(203, second);
    EXPECT_EQ(first, second);
    second.clear();
    other.write_key(204, second);
    EXPECT_NE(first, second);
}

}  // namespace
}  // namespace lockkeeper
