// SPDX-License-Identifier: Apache-2.0

// Calls without a definite end. What they have taken nobody certainly holds: it is a leak, as in
// models. What the look at the end is answered so shows nothing.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

std::string found_in(const std::string& mode, const OutsideWorld& world) {
    return Searched(other_child("doubtful.py " + mode), world).found();
}

TEST(Doubt, WhatALivingCallerMayHaveIsALeakWhereItWasGranted) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("leak", found_in("times-out", pairs(2, 1)));
}

TEST(Doubt, MoreThanItMayHaveIsOne) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("leak", found_in("times-out-wrong", pairs(1, 2)));
}

TEST(Doubt, WhatTheDeadMayHaveHasToBeFree) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(1, 1, 2);
    world.world.crashes_max = 1;
    EXPECT_EQ("leak", found_in("times-out", world));
}

TEST(Doubt, AFinalLookThatTimesOutShowsNothing) {
    NEEDS_TOOL("python3");
    const Searched search(other_child("doubtful.py times-out-probe"), pairs(1, 1));
    EXPECT_EQ("nothing", search.found());
    EXPECT_EQ(1U, search.result.tally.open.count(PropertyNumber::kLeak));
    EXPECT_EQ(0U, search.result.tally.decided.count(PropertyNumber::kLeak));
}

TEST(Doubt, WhoMayHaveAcquiredDoesNotWaitForItself) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(1, 1);
    world.world.callers[0].script.front().until_acquired = true;
    EXPECT_EQ("leak", found_in("times-out", world)) << "not a deadlock";
}

}  // namespace
}  // namespace lockkeeper
