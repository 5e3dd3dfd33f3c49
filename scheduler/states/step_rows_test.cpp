// SPDX-License-Identifier: Apache-2.0
#include "scheduler/states/step_rows.hpp"

#include <array>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

// Two slots of one group, one of another.
StepRows three_slots() { return StepRows({0, 0, 1}); }

StepRows::Entry entry(StepRows& rows, std::uint64_t rest, std::size_t at, std::size_t slot) {
    return slot < rows.stride() ? rows.row(rest)[rows.first_of(at) + slot] : 0;
}
std::vector<PackedStep> steps(std::uint64_t rest, std::size_t count) {
    return std::vector<PackedStep>(count, PackedStep{rest, 0, 1, 0});
}

TEST(StepRows, KnowWhatWasAddedForEverySlotOfTheGroup) {
    StepRows rows = three_slots();
    EXPECT_EQ(entry(rows, 7, 0, 5), 0U);
    rows.add(7, 0, 5, steps(11, 2));
    for (const std::size_t at : {0U, 1U}) {
        const StepRows::Entry found = entry(rows, 7, at, 5);
        ASSERT_EQ(StepRows::count(found), 2U);
        EXPECT_EQ(rows.steps(found)[1].rest, 11U);
    }
    EXPECT_EQ(entry(rows, 7, 2, 5), 0U);
    EXPECT_EQ(entry(rows, 7, 0, 6), 0U);
    EXPECT_EQ(entry(rows, 8, 0, 5), 0U);
}

TEST(StepRows, KnowWhoStandsSideBySideInAGroup) {
    const StepRows rows({0, 0, 0, 1, 2, 2});
    const std::array<std::size_t, 6> first{0, 0, 0, 3, 4, 4};
    const std::array<std::size_t, 6> last{2, 2, 2, 3, 5, 5};
    for (std::size_t at = 0; at < first.size(); ++at) {
        EXPECT_EQ(rows.group(at).first, first[at]);
        EXPECT_EQ(rows.group(at).last, last[at]);
    }
}

// That nothing can be done is known, too.
TEST(StepRows, TellNoStepsFromNeverLookedUp) {
    StepRows rows = three_slots();
    rows.add(0, 2, 0, {});
    EXPECT_NE(entry(rows, 0, 2, 0), 0U);
    EXPECT_EQ(StepRows::count(entry(rows, 0, 2, 0)), 0U);
}

TEST(StepRows, KeepManyRowsApart) {
    StepRows rows = three_slots();
    for (std::uint64_t rest = 0; rest < 3'000; ++rest) {
        rows.add(rest << 20U, 1, rest % 64, steps(rest, 1));
    }
    for (std::uint64_t rest = 0; rest < 3'000; ++rest) {
        for (std::size_t slot = 0; slot < 64; ++slot) {
            const StepRows::Entry found = entry(rows, rest << 20U, 1, slot);
            ASSERT_EQ(found != 0, slot == rest % 64);
            ASSERT_TRUE(found == 0 || rows.steps(found)->rest == rest);
        }
    }
}

TEST(StepRows, KeepWhatTheyKnowWhenASlotHasMoreNumbers) {
    StepRows rows = three_slots();
    rows.add(1, 0, 3, steps(5, 1));
    rows.add(1, 2, 7, steps(4, 1));
    rows.add(1, 0, 1'000, steps(6, 1));
    EXPECT_EQ(rows.stride(), 1'024U);
    EXPECT_EQ(rows.steps(entry(rows, 1, 0, 3))->rest, 5U);
    EXPECT_EQ(rows.steps(entry(rows, 1, 2, 7))->rest, 4U);
    EXPECT_EQ(rows.steps(entry(rows, 1, 0, 1'000))->rest, 6U);
}

// More rows than there is room for: everything is forgotten, nothing is taken for something else.
TEST(StepRows, BeginAnewWhenTheyGrowTooLarge) {
    StepRows rows = three_slots();
    rows.add(1, 0, 1'000, steps(6, 1));
    std::size_t most = 0;
    for (std::uint64_t rest = 0; rest < 5'000; ++rest) {
        rows.add(rest, 2, 9, steps(rest, 1));
        ASSERT_EQ(rows.steps(entry(rows, rest, 2, 9))->rest, rest);
        most = std::max(most, rows.bytes());
    }
    EXPECT_EQ(entry(rows, 0, 2, 9), 0U);
    EXPECT_LT(most, std::size_t{64} << 20U);
}

// Long rows, or so many that they are forgotten again and again.
TEST(StepRows, SayWhenTheyDoNotPay) {
    StepRows few = three_slots();
    for (std::uint64_t rest = 0; rest < 1'000; ++rest) {
        few.add(rest, 0, 1, steps(rest, 1));
    }
    EXPECT_TRUE(few.pays());
    StepRows many = three_slots();
    for (std::uint64_t rest = 0; rest < 200'000; ++rest) {
        many.add(rest, 0, 1, steps(rest, 1));
    }
    EXPECT_FALSE(many.pays());
    StepRows long_ones = three_slots();
    long_ones.add(0, 0, 5'000, steps(0, 1));
    EXPECT_FALSE(long_ones.pays());
}

}  // namespace
}  // namespace lockkeeper
