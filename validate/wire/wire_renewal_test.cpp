// SPDX-License-Identifier: Apache-2.0

// A call counts as a renewal if it has written the key, as the server shows before and after. A
// script that could write and does not is no renewal, whosever key it looks at.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

WireScope passing_time() {
    WireScope scope;
    scope.expiries_max = 1;
    return scope;
}

// A acquires, and calls the word when its lock may be over; B acquires.
OutsideWorld calling(const char* word) {
    OutsideWorld world = two_callers({Verb::kAcquire, Verb::kCall});
    world.world.words = {word};
    world.world.callers[1].script.pop_back();
    return world;
}

// Each once was a violation: "ok" lasted as long as somebody else's key.
TEST(WireRenewal, WhoLooksWithAScriptHasRenewedNothing) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", found_with("right", passing_time(), calling("look")));
    EXPECT_EQ("nothing", found_with("extends", passing_time(), calling("renew")));
}

TEST(WireRenewal, AScriptThatExtendsAnybodysKeyIsFoundOut) {
    SKIP_WITHOUT_REDIS();
    // It writes the end that the key has: nothing but the server's count of writes shows it.
    EXPECT_EQ("belief-overlap", found_with("extends_anybody", passing_time(), calling("renew")));
}

TEST(WireRenewal, OneThatSaysOkAndHasRenewedNothingIsFoundOut) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("belief-overlap", found_with("deaf", passing_time(), calling("renew")));
    EXPECT_EQ("nothing", found_with("deaf", {}, calling("renew")));
}

// B was refused while A had the lock for three seconds. What it is granted later is its own, for
// ten, and A, which takes it when three are over, overlaps with it.
TEST(WireRenewal, ARefusedAttemptDoesNotShortenTheGrantThatFollows) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = two_callers({Verb::kAcquire, Verb::kRelease, Verb::kAcquire});
    world.world.callers[1].script.resize(1);
    Held held(raw_client("impatient"), world, passing_time(), exploring());
    constexpr Action kCall{0, ActionKind::kStep, 0};
    constexpr Action kRequest{0, ActionKind::kStep, 1};
    constexpr Action kWake{0, ActionKind::kBackground, 0};
    const auto of_b = [](Action action) {
        action.actor = 1;
        return action;
    };
    const OutsideTrace trace = held.search->replay(
        {kCall, kRequest, of_b(kCall), of_b(kRequest), kCall, kRequest,  // A releases
         of_b(kWake), of_b(kRequest),                                    // and B has it
         kCall, kRequest, kWake, kRequest, kWake, kRequest});
    ASSERT_EQ(14U, trace.steps.size());
    EXPECT_EQ("-> OK, acquired", trace.steps[7].result);
    ASSERT_FALSE(trace.violated.empty());
    EXPECT_EQ("belief-overlap", trace.violated.front()->name);
}

}  // namespace
}  // namespace lockkeeper::wire
