// SPDX-License-Identifier: Apache-2.0

// Unmodified clients that only their history shows to be wrong, with nothing known of what their
// keys mean; and runs that are tried first because they once failed.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

OutsideWorld judged_by_history(OutsideWorld world = two_callers()) {
    world.check = {find_property("unexplained-history")};
    return world;
}

WireScope one_expiry() {
    WireScope scope;
    scope.expiries_max = 1;
    return scope;
}

TEST(WireHistory, ShowsThatALockIsWrong) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("unexplained-history", found_with("get_then_set", {}, judged_by_history()));
    EXPECT_EQ("unexplained-history", found_with("get_then_set", one_expiry(), judged_by_history()));
}

// A known limit: the model counts a lease from some moment of its call on, so that it may have
// ended before the caller says. P17 (belief-overlap) goes by what the caller says, and finds it:
// wire_search_test.cpp.
TEST(WireHistory, DoesNotShowAnEndThatIsCountedFromTheAnswer) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing",
              found_with("late", one_expiry(), judged_by_history(two_callers_or_less())));
}

TEST(WireHistory, ShowsAReleaseOfALockThatHasBeenTakenOver) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("unexplained-history", found_with("anybody", one_expiry(), judged_by_history()));
}

// two_callers() judges histories beside all other properties: wire_search_test.cpp has the right
// lock with an expiry, or with a lost connection, and the one with an "until".
TEST(WireHistory, AccusesNoRightLock) {
    SKIP_WITHOUT_REDIS();
    const OutsideWorld world = judged_by_history(two_callers_or_less());
    OutsideWorld killed = world;
    killed.world.crashes_max = killed.world.restarts_max = 1;
    EXPECT_EQ("nothing", found_with("right", {}, killed));
    if (testing_model::is_short_run()) {
        return;
    }
    EXPECT_EQ("nothing", found_with("right", {}, judged_by_history()));
    EXPECT_EQ("nothing", found_with("right", one_expiry(), world));
    EXPECT_EQ("nothing", found_with("says_until", one_expiry(), world));
    WireScope drop;
    drop.drops_max = 1;
    EXPECT_EQ("nothing", found_with("right", drop, world));
}

OutsideOptions knowing_of(const OutsideFinding& finding) {
    OutsideOptions options = exploring();
    options.corpus = {{1, finding.actions}};
    return options;
}

TEST(WireKnownRuns, ComeFirst) {
    SKIP_WITHOUT_REDIS();
    Held held(raw_client("get_then_set"), two_callers(), {}, exploring());
    const OutsideResult result = held.search->search();
    ASSERT_TRUE(result.finding);
    EXPECT_GT(result.schedules, 1U);
    const OutsideFinding shrunk = held.search->shrink(*result.finding);
    Held again(raw_client("get_then_set"), two_callers(), {}, knowing_of(shrunk));
    const OutsideResult known = again.search->search();
    ASSERT_TRUE(known.finding);
    EXPECT_EQ("corpus", known.finding->found_by);
    EXPECT_EQ(result.finding->property, known.finding->property);
    EXPECT_EQ(shrunk.actions, known.finding->actions);
    EXPECT_EQ(1U, known.schedules);
    Held right(raw_client("right"), two_callers(), {}, knowing_of(shrunk));
    const OutsideResult none = right.search->search();
    EXPECT_FALSE(none.finding);
    EXPECT_TRUE(none.complete);
}

}  // namespace
}  // namespace lockkeeper::wire
