// SPDX-License-Identifier: Apache-2.0

// Locks with one place and with several at the wire, and what nobody can judge of them.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

std::string counted(const std::string& kind) { return raw_client(kind, "", "counted_lock.py"); }

// The first of `callers` acquires and releases, the others keep what they acquire.
OutsideWorld with_keepers(std::size_t callers, std::uint16_t places) {
    OutsideWorld world = two_callers();
    world.world.callers.resize(1);
    for (std::size_t i = 1; i < callers; ++i) {
        world.world.callers.push_back(world.world.callers[0]);
        world.world.callers[i].name = "K" + std::to_string(i);
        world.world.callers[i].script.pop_back();
    }
    for (CallerConfig& caller : world.world.callers) {
        for (Operation& operation : caller.script) {
            operation.place_capacity = places;
        }
    }
    return world;
}

struct Seen {
    std::string property;  // of the first violation; "nothing"
    OutsideTally tally;
};
Seen seen(const std::string& kind, OutsideWorld world, WireScope scope = {}) {
    scope.splits = scope.expiries_max > 0;
    Held held(counted(kind), std::move(world), scope, exploring());
    const SteppedResult result = held.search->search();
    EXPECT_EQ("", result.diverged);
    EXPECT_TRUE(result.finding || result.complete) << result.limit;
    return {result.finding && result.finding->property != nullptr
                ? std::string(result.finding->property->name)
                : "nothing",
            result.tally};
}

TEST(WirePlaces, OneOfSeveralThatIsLostWithItsHolderIsALeak) {
    SKIP_WITHOUT_REDIS();
    for (const std::uint16_t places : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
        OutsideWorld world = with_keepers(1, places);
        const std::string kind = "right-" + std::to_string(places);
        EXPECT_EQ("nothing", seen(kind, world).property) << places;
        world.world.crashes_max = 1;
        EXPECT_EQ("leak", seen(kind, world).property) << places;
    }
}

TEST(WirePlaces, AReleaseThatFreesThePlaceOfAnotherIsFoundWhileTheOtherHolds) {
    SKIP_WITHOUT_REDIS();
    for (const std::uint16_t places : {std::uint16_t{2}, std::uint16_t{3}}) {
        const OutsideWorld world = with_keepers(2, places);
        EXPECT_EQ("double-release", seen("twice-" + std::to_string(places), world).property);
        const Seen right = seen("right-" + std::to_string(places), world);
        EXPECT_EQ("nothing", right.property);
        EXPECT_TRUE(right.tally.decided.contains(PropertyNumber::kDoubleRelease));
        EXPECT_TRUE(right.tally.decided.contains(PropertyNumber::kLeak));
    }
}

// More clients than are held at once are not asked: that is said, and is no pass of the property.
TEST(WirePlaces, OfMoreThanTheLookAtTheEndAsksForALeakIsNotJudged) {
    SKIP_WITHOUT_REDIS();
    const Seen many = seen("right-30", with_keepers(1, 30));
    EXPECT_EQ("nothing", many.property);
    EXPECT_EQ(1U, many.tally.open.count(PropertyNumber::kLeak));
    EXPECT_EQ(0U, many.tally.decided.count(PropertyNumber::kLeak));
}

TEST(WirePlaces, AGrantToItsHolderIsJudgedByWhatTheScenarioSaysOfIt) {
    SKIP_WITHOUT_REDIS();
    OutsideWorld world = with_keepers(1, 1);
    const std::vector<Operation> once = world.world.callers[0].script;
    world.world.callers[0].script = {once[0], once[0], once[1], once[1]};
    world.asked = {find_property("over-allocation")};
    const Seen unsaid = seen("again", world);
    EXPECT_EQ("nothing", unsaid.property);
    EXPECT_EQ(1U, unsaid.tally.open.count(PropertyNumber::kOverAllocation));
    EXPECT_NE("", unsaid.tally.never_decided(world));
    world.reentrant = true;
    const Seen reentrant = seen("again", world);
    EXPECT_EQ("nothing", reentrant.property);
    EXPECT_EQ("", reentrant.tally.never_decided(world));
    world.reentrant = false;
    EXPECT_EQ("over-allocation", seen("again", world).property);
}

TEST(WirePlaces, ALateReleaseThatSaysNoMoreThanDoneIsNotJudged) {
    SKIP_WITHOUT_REDIS();
    WireScope scope;
    scope.expiries_max = 1;
    OutsideWorld world = with_keepers(2, 1);
    world.check = {find_property("false-ok")};
    const Seen done = seen("blind", world, scope);
    EXPECT_EQ("nothing", done.property);
    EXPECT_EQ(1U, done.tally.open.count(PropertyNumber::kFalseOk));
}

}  // namespace
}  // namespace lockkeeper::wire
