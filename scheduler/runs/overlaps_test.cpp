// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/overlaps.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

struct Moment {
    std::int32_t now;
    bool beliefs;
    bool grants;
};

std::vector<Overlap> watched(const std::vector<Moment>& moments) {
    OverlapWatch watch;
    Observation seen{};
    for (std::size_t i = 0; i < moments.size(); ++i) {
        seen.now = moments[i].now;
        seen.beliefs_overlap = moments[i].beliefs;
        seen.grants_overlap = moments[i].grants;
        watch.look(seen, i);
    }
    return watch.overlaps();
}

TEST(Overlaps, AreNoneWhereNobodyHoldsBesideAnother) {
    EXPECT_TRUE(watched({{0, false, false}, {7, false, false}}).empty());
}

TEST(Overlaps, LastFromTheStepThatBeginsThemToTheStepThatEndsThem) {
    const auto overlaps =
        watched({{0, false, false}, {5, true, false}, {9, true, false}, {12, false, false}});
    ASSERT_EQ(1U, overlaps.size());
    EXPECT_FALSE(overlaps[0].of_grants);
    EXPECT_EQ(1U, overlaps[0].first_step);
    EXPECT_EQ(3U, overlaps[0].last_step);
    EXPECT_EQ(7, overlaps[0].lasts());
    EXPECT_TRUE(overlaps[0].ended);
}

TEST(Overlaps, OfBeliefsAndOfGrantsAreToldApart) {
    const auto overlaps =
        watched({{0, true, false}, {1, true, true}, {4, false, true}, {6, false, false}});
    ASSERT_EQ(2U, overlaps.size());
    EXPECT_EQ(4, overlaps[0].lasts());
    EXPECT_TRUE(overlaps[1].of_grants);
    EXPECT_EQ(1U, overlaps[1].first_step);
    EXPECT_EQ(5, overlaps[1].lasts());
}

TEST(Overlaps, ThatTheRunDoesNotSeeTheEndOfAreOpen) {
    const auto overlaps =
        watched({{0, true, false}, {2, false, false}, {3, true, false}, {8, true, false}});
    ASSERT_EQ(2U, overlaps.size());
    EXPECT_TRUE(overlaps[0].ended);
    EXPECT_FALSE(overlaps[1].ended);
    EXPECT_EQ(5, overlaps[1].lasts());
}

}  // namespace
}  // namespace lockkeeper
