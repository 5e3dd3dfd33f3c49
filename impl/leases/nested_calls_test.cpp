// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/nested_calls.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::leases {
namespace {

NestedCalls three_deep() {
    NestedCalls calls{};
    calls.begin(3);
    calls.make_another();
    calls.make_another();
    return calls;
}

TEST(NestedCalls, are_one_call_when_no_number_or_one_is_given) {
    for (const unsigned number : {0U, 1U}) {
        NestedCalls calls{};
        calls.begin(number);
        EXPECT_TRUE(calls.any());
        EXPECT_FALSE(calls.makes_another());
        calls.innermost_returns();
        EXPECT_FALSE(calls.any());
    }
}

TEST(NestedCalls, return_from_the_inside_to_the_outside) {
    NestedCalls calls = three_deep();
    for (const unsigned depth : {3U, 2U, 1U}) {
        EXPECT_TRUE(calls.any());
        EXPECT_EQ(calls.depth(), depth);
        EXPECT_FALSE(calls.makes_another()) << "each makes one";
        calls.innermost_returns();
    }
    EXPECT_EQ(calls.bits, 0);
}

TEST(NestedCalls, end_from_the_outside_to_the_inside_one_for_each_message) {
    NestedCalls calls = three_deep();
    calls.cancel();
    calls.outermost_ends();
    calls.outermost_ends();
    EXPECT_TRUE(calls.any());
    EXPECT_EQ(calls.depth(), 3U) << "it does not know yet";
    calls.outermost_ends();
    EXPECT_EQ(calls.bits, 0);
}

TEST(NestedCalls, return_to_nobody_when_the_one_around_them_has_ended) {
    NestedCalls calls = three_deep();
    calls.cancel();
    calls.outermost_ends();
    calls.innermost_returns();
    EXPECT_EQ(calls.depth(), 2U) << "which has not ended";
    calls.innermost_returns();
    EXPECT_EQ(calls.bits, 0);
}

TEST(NestedCalls, make_another_while_the_cancellation_is_on_its_way) {
    NestedCalls calls{};
    calls.begin(2);
    calls.cancel();
    EXPECT_TRUE(calls.makes_another());
    calls.make_another();
    EXPECT_TRUE(calls.are_cancelled());
    calls.outermost_ends();
    EXPECT_EQ(calls.depth(), 2U);
    calls.outermost_ends();
    EXPECT_EQ(calls.bits, 0);
}

}  // namespace
}  // namespace lockkeeper::leases
