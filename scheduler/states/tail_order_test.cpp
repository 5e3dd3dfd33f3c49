// SPDX-License-Identifier: Apache-2.0
#include "scheduler/states/tail_order.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

FaultsLeft left(std::initializer_list<std::uint8_t> counts) {
    FaultsLeft made;
    for (const std::uint8_t count : counts) {
        made.add(count);
    }
    return made;
}

TEST(TailOrder, CoversWhereNothingIsLess) {
    TailOrder order;
    order.add("a", left({1, 1}));
    order.add("a", left({0, 1}));
    order.add("a", left({1, 0}));
    order.add("a", left({2, 0}));
    EXPECT_TRUE(order.covers(0, 0));
    EXPECT_TRUE(order.covers(0, 1));
    EXPECT_TRUE(order.covers(0, 2));
    EXPECT_TRUE(order.covers(3, 2));
    EXPECT_FALSE(order.covers(1, 0));
    EXPECT_FALSE(order.covers(1, 2));
    EXPECT_FALSE(order.covers(0, 3));
    EXPECT_FALSE(order.covers(3, 0));
}

TEST(TailOrder, ComparesOnlyTailsThatAreOtherwiseTheSame) {
    TailOrder order;
    order.add("a", left({2}));
    order.add("b", left({1}));
    EXPECT_FALSE(order.covers(0, 1));
    EXPECT_FALSE(order.covers(1, 0));
}

struct TwoCounts {
    std::uint8_t whole;
    std::uint8_t halves;
};

TEST(FaultsLeft, CountsTheHalvesOfAByteApart) {
    FaultsLeft one_copy;
    one_copy.add_halves_of(TwoCounts{3, 16});
    FaultsLeft one_resend;
    one_resend.add_halves_of(TwoCounts{3, 1});
    EXPECT_FALSE(one_copy.is_at_least(one_resend));
    EXPECT_FALSE(one_resend.is_at_least(one_copy));
    FaultsLeft both;
    both.add_halves_of(TwoCounts{3, 17});
    EXPECT_TRUE(both.is_at_least(one_copy));
    EXPECT_TRUE(both.is_at_least(one_resend));
}

}  // namespace
}  // namespace lockkeeper
