// SPDX-License-Identifier: Apache-2.0

// The native lock's own code for every number of callers.
#include <gtest/gtest.h>

#include "scheduler/proofs/known_locks_test.hpp"
#include "scheduler/proofs/native_steps_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

const std::vector<const char*> kPromises{"over-allocation", "leak", "double-release",
                                         "negative-counter", "caller-death"};

template <class Native>
proofs::Decision decided_for(const Native& lock, const char* property, View view) {
    return decided(lock, only(property), view.max_per, false, view.buckets);
}

TEST(ProveNativeTest, TheRepairedLocksOwnCodeIsProvedWithReportsOfCrashes) {
    for (const View view : {View{1, 1}, View{2, 2}, View{5, 3}}) {
        for (const char* property : kPromises) {
            const proofs::Decision decision = decided_for(RepairedNative{}, property, view);
            ASSERT_TRUE(decision.proved) << property << ": " << decision.undecided;
            EXPECT_EQ(decision.proved->method, "weights") << property;
        }
    }
}

// Gives back before it claims: a report in between gives back once more.
TEST(ProveNativeTest, TheOtherOrderIsViolatedByReportsAloneAndByTheLeastNumber) {
    NativeSteps<GivesBackFirst> lock;
    EXPECT_EQ(decided_for(lock, "negative-counter", {1, 1}).violated, std::vector<std::size_t>{1});
    EXPECT_EQ(decided_for(lock, "over-allocation", {1, 1}).violated, std::vector<std::size_t>{2});
    lock.may_be_reported = false;
    const proofs::Decision decision = decided_for(lock, "double-release", {1, 1});
    EXPECT_TRUE(decision.proved) << decision.undecided;
}

// The steps of a call, access by access.
TEST(ProveNativeTest, ACallIsAsManyStepsAsItsCodeHasAccesses) {
    const World<RepairedNative> world(
        {}, proofs::looping_world(callers_seeing({{1, 1}}, false), {2}, false));
    auto state = world.initial();
    const auto step = [&](std::uint8_t caller) {
        return world.apply(state, {caller, ActionKind::kStep, 0});
    };
    EXPECT_EQ(step(0).what, kInvoked);  // loads the total
    EXPECT_TRUE(step(1).is(kInvoked));  // so does the other
    EXPECT_EQ(step(0).what, kGranted);  // takes
    EXPECT_EQ(state.shared.total, 1);
    EXPECT_TRUE(step(1).is(kRefused));  // its exchange fails, and full it is
    EXPECT_EQ(step(0).what, 0U);        // loads its tally
    EXPECT_TRUE(step(0).is(kAcquired));
    EXPECT_EQ(state.slots[0].record.tally, 1);
    EXPECT_TRUE(world.apply(state, {0, ActionKind::kBackground, 0}).is(kLost));  // closes
    EXPECT_EQ(state.shared.total, 1);
    world.apply(state, {0, ActionKind::kBackground, 0});  // gives back
    EXPECT_EQ(state.shared.total, 0);
    EXPECT_FALSE(world.implementation().holds(state.shared, state.slots[0].record, 0));
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
