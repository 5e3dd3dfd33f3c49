// SPDX-License-Identifier: Apache-2.0

// Locks of one place and of three with a step after the one that grants: by when calls can have had
// their effect it is judged which grant is the later one. The rest stands in validate/table.
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

Searched search(const std::string& mode, OutsideWorld world) {
    world.parameters = {{"ttl", 2}};
    return Searched(other_child("places.py " + mode), std::move(world));
}

// `holders` callers that only acquire, beside one that releases as well.
OutsideWorld with_holders(std::size_t holders, std::uint16_t places, std::int64_t ticks) {
    OutsideWorld world = world_of(holders + 1, {operation(Verb::kAcquire, places)});
    world.world.callers.front().script.push_back(operation(Verb::kRelease, places));
    world.ticks_max = ticks;
    return world;
}

TEST(Places, OfRightLocksPassWhateverCallersHearLate) {
    NEEDS_TOOL("python3");
    for (const std::uint16_t places : {std::uint16_t{1}, std::uint16_t{2}}) {
        const Searched leased = search("right late", with_holders(places, places, 2));
        EXPECT_EQ("nothing", leased.found()) << places;
        EXPECT_TRUE(leased.result.complete) << places;
        const Searched fenced = search("for-ever late", with_holders(places, places, 0));
        EXPECT_EQ("nothing", fenced.found()) << places;
        EXPECT_TRUE(fenced.result.complete) << places;
    }
}

TEST(Places, ATokenThatIsNotAboveThatOfAGrantThatWasOverBeforeIsFound) {
    NEEDS_TOOL("python3");
    for (const std::uint16_t places : {std::uint16_t{1}, std::uint16_t{3}}) {
        for (const char* mode : {"repeats", "falls"}) {
            const auto tokens = [&](const std::string& late) {
                return search(mode + late, checks(with_holders(1, places, 2), "token-order"))
                    .found();
            };
            EXPECT_EQ("token-order", tokens("")) << mode << places;
            EXPECT_EQ("token-order", tokens(" late")) << mode << places;
        }
    }
}

// One place: the next grant was in force. Three: three were, at once.
TEST(Places, AReleaseThatSaysOkAfterAllPlacesWereGrantedToOthersIsFound) {
    NEEDS_TOOL("python3");
    EXPECT_EQ("false-ok", search("blind", checks(with_holders(1, 1, 2), "false-ok")).found());
    EXPECT_EQ("false-ok", search("blind late", checks(with_holders(2, 2, 2), "false-ok")).found());
    EXPECT_EQ("nothing", search("blind", checks(with_holders(1, 2, 2), "false-ok")).found());
    EXPECT_EQ("nothing", search("right", checks(with_holders(2, 2, 2), "false-ok")).found());
}

// Exploring alone spends the whole budget on the orders of a few late steps.
TEST(Places, RandomSchedulesHaveTheirTurnWhereStatesAreKnownAgain) {
    NEEDS_TOOL("python3");
    OutsideWorld world = world_of(3, {operation(Verb::kAcquire, 2), operation(Verb::kRelease, 2)});
    for (CallerConfig& caller : world.world.callers) {
        caller.script.front().until_acquired = true;
    }
    world.ticks_max = 2;
    world.parameters = {{"ttl", 2}};
    OutsideOptions options;
    options.schedules_max = 600;
    const std::string command = other_child("places.py check-then-add late");
    const Searched both(command, world, options);
    ASSERT_EQ("over-allocation", both.found());
    EXPECT_EQ("feedback", both.result.finding->found_by);
    EXPECT_EQ(345U, both.result.schedules);  // 300 explored, then 15 of each kind, the last one
    options.method = OutsideMethod::kExplore;
    EXPECT_EQ("nothing", Searched(command, world, options).found());
}

// The section was left at the call: whoever is granted the place meets nobody. What stays taken is
// lost.
TEST(Places, AReleaseThatFailedForCertainIsNoHolderAnyMore) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = world_of(2, {operation(Verb::kAcquire), operation(Verb::kRelease)});
    EXPECT_EQ("nothing", search("fails-and-frees", world).found());
    EXPECT_EQ("leak", search("fails", world).found());
}

}  // namespace
}  // namespace lockkeeper
