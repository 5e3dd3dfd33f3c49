// SPDX-License-Identifier: Apache-2.0

// Steps 1 to 10 of the canal lock, one sentence each with its effect on the table. Where nothing
// else is said max_per is 2, so that the cap is 3.
#include "impl/canal/canal_lock.hpp"

#include <gtest/gtest.h>

#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;
template <class Size>
inline constexpr bool kIsPlain = PlainState<typename World<canal::CanalLock<Size>>::State>;
static_assert(kIsPlain<canal::TinySize> && kIsPlain<canal::SmallSize>);
static_assert(kIsPlain<canal::CrowdSize> && kIsPlain<canal::KeysSize>);
static_assert(kIsPlain<canal::WideSize>);
static_assert(sizeof(World<canal::CanalLock<canal::TinySize>>::State) == 64);

// --- acquire, step 1: update_counter
// ---------------------------------------------------------------

TEST(CanalAcquire, adds_1_to_the_first_bucket_and_is_granted) {
    TinyWalk walk = tiny(with_table({1, 0}), {{acquire(2, 2)}});
    const Event event = walk.step();
    EXPECT_EQ(table(walk), "[2,0] highest 2");
    EXPECT_EQ(walk.next(), "A acquire: notify db");
    EXPECT_EQ(event.what, kInvoked | kTookUnit | kGranted);
    EXPECT_EQ(event.place, 1);
    EXPECT_EQ(event.value, 2);
}

TEST(CanalAcquire, of_an_absent_bucket_changes_nothing_and_goes_on_to_create_it) {
    TinyWalk walk = tiny(with_table({}), {{acquire(2, 2)}});
    EXPECT_EQ(walk.step().what, kInvoked);
    EXPECT_EQ(table(walk), "[-] highest -");
    EXPECT_EQ(walk.next(), "A acquire: insert_new db[1]");
}

TEST(CanalAcquire, of_a_full_bucket_marks_it_and_goes_on_to_the_next) {
    TinyWalk walk = tiny(with_table({2, 0}), {{acquire(2, 2)}});
    const Event event = walk.step();
    EXPECT_EQ(table(walk), "[3,0] highest 2");
    EXPECT_EQ(event.what, kInvoked | kFoundFull);
    EXPECT_EQ(walk.next(), "A acquire: update_counter db[2]");
    walk.step();
    EXPECT_EQ(table(walk), "[3,1] highest 2");
}

TEST(CanalAcquire, stores_the_cap_instead_of_what_exceeds_it) {
    TinyWalk walk = tiny(with_table({3, 0}), {{acquire(2, 2)}});
    EXPECT_EQ(walk.step().value, 3);
    EXPECT_EQ(table(walk), "[3,0] highest 2");
}

TEST(CanalAcquire, with_a_smaller_max_per_stores_its_own_smaller_cap) {
    TinyWalk walk = tiny(with_table({5}, 5), {{acquire(2, 1)}});
    EXPECT_TRUE(walk.step().is(kRefused));
    EXPECT_EQ(table(walk), "[3] highest 1");
}

TEST(CanalAcquire, a_full_last_bucket_is_refused) {
    TinyWalk walk = tiny(with_table({3, 2}), {{acquire(2, 2)}});
    walk.step();
    const Event event = walk.step();
    EXPECT_EQ(event.what, kFoundFull | kRefused);
    EXPECT_EQ(table(walk), "[3,3] highest 2");
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_TRUE(walk.seen().quiescent) << "nobody is told";
}

TEST(CanalAcquire, does_not_look_behind_the_buckets_that_its_caller_sees) {
    TinyWalk walk = tiny(with_table({3, 0}), {{acquire(2, 1)}});
    EXPECT_TRUE(walk.step().is(kRefused));
    EXPECT_EQ(table(walk), "[3,0] highest 2");
}

// The comparison is for equality, and no bucket is number 0.
TEST(CanalAcquire, of_0_buckets_goes_on_at_every_cap) {
    TinyWalk walk = tiny(with_table({3, 0}), {{acquire(2, 0)}});
    EXPECT_EQ(walk.step().what, kInvoked | kFoundFull);
    EXPECT_EQ(walk.next(), "A acquire: update_counter db[2]");
    EXPECT_TRUE(walk.step().is(kGranted));
    EXPECT_EQ(walk.step().count, 3);
    EXPECT_EQ(table(walk), "[3,1] highest 2");
}

TEST(CanalAcquire, of_0_buckets_is_never_refused_and_creates_bucket_after_bucket) {
    const std::vector<Operation> six(6, acquire(1, 0));
    Walk<canal::CanalLock<canal::SmallSize>> walk(
        canal::CanalLock<canal::SmallSize>(with_table({}, 1)), world_of({six}));
    std::vector<int> counts;
    for (std::size_t i = 0; i < six.size(); ++i) {
        counts.push_back(walk.call().count);
    }
    EXPECT_EQ(counts, (std::vector{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(walk.counters(), (std::vector{2, 2, 2, 2, 2, 1}));
    EXPECT_EQ(walk.believed(), 6U);
}

TEST(CanalAcquire, of_0_buckets_behind_the_last_compiled_bucket_is_a_limit) {
    TinyWalk walk = tiny(with_table({3, 3, 3}), {{acquire(2, 0)}});
    walk.steps(0, 2);
    EXPECT_THROW(walk.step(), LimitExceeded);
}

TEST(CanalAcquire, of_max_per_0_is_granted_where_it_creates_the_bucket_and_nowhere_else) {
    TinyWalk walk = tiny(with_table({}, 0), {{acquire(0, 1), acquire(0, 1)}});
    walk.step();
    EXPECT_TRUE(walk.step().is(kGranted));
    EXPECT_EQ(walk.call().count, 1);
    EXPECT_EQ(table(walk), "[1] highest 1");
    EXPECT_EQ(walk.step().what, kInvoked | kFoundFull | kRefused);
    EXPECT_EQ(table(walk), "[1] highest 1");
}

TEST(CanalAcquire, of_max_per_0_is_refused_by_an_empty_bucket) {
    TinyWalk walk = tiny(with_table({0}, 0), {{acquire(0, 1)}});
    EXPECT_EQ(walk.step().what, kInvoked | kFoundFull | kRefused);
    EXPECT_EQ(table(walk), "[1] highest 1");
}

TEST(CanalLock, counts_what_max_per_0_has_created_as_a_mark_or_a_unit) {
    TinyWalk walk = tiny(with_table({}, 0), {{acquire(0, 1)}});
    walk.call();
    EXPECT_EQ(walk.seen().keys[0].counted_least, 0U);
    EXPECT_EQ(walk.seen().keys[0].counted_most, 1U);
}

// --- acquire, steps 2 to 4
// ---------------------------------------------------------------------------

TEST(CanalAcquire, creates_the_bucket_with_1_and_does_not_register_it_yet) {
    TinyWalk walk = tiny(with_table({}), {{acquire(2, 2)}});
    walk.step();
    const Event event = walk.step();
    EXPECT_EQ(event.what, kTookUnit | kPlaceCreated | kGranted);
    EXPECT_EQ(table(walk), "[1] highest -");
    EXPECT_EQ(walk.next(), "A acquire: register db[1]");
}

TEST(CanalAcquire, of_a_bucket_that_somebody_created_meanwhile_begins_the_same_bucket_again) {
    TinyWalk walk = tiny(with_table({}), {{acquire(2, 2)}, {acquire(2, 2)}});
    walk.step(0);
    walk.steps(1, 3);
    EXPECT_EQ(walk.step(0).what, 0U);
    EXPECT_EQ(table(walk), "[1] highest 1");
    EXPECT_EQ(walk.next(), "A acquire: update_counter db[1]");
    walk.step(0);
    EXPECT_EQ(table(walk), "[2] highest 1");
}

TEST(CanalAcquire, registers_the_first_bucket_by_storing_1) {
    CanalOptions options = with_table({});
    options.tables[0].highest = 3;
    TinyWalk walk = tiny(options, {{acquire(2, 2)}});
    walk.steps(0, 2);
    EXPECT_EQ(table(walk), "[1] highest 3");
    const Event event = walk.step();
    EXPECT_EQ(table(walk), "[1] highest 1") << "whatever was there";
    EXPECT_EQ(event.what, 0U) << "the unit was taken and granted with the bucket";
    EXPECT_EQ(walk.next(), "A acquire: notify db");
}

TEST(CanalAcquire, registers_another_bucket_by_adding_1) {
    TinyWalk walk = tiny(with_table({3}), {{acquire(2, 2)}});
    walk.steps(0, 3);
    EXPECT_EQ(table(walk), "[3,1] highest 1");
    walk.step();
    EXPECT_EQ(table(walk), "[3,1] highest 2");
    EXPECT_EQ(walk.step().count, 3);
}

TEST(CanalAcquire, dies_of_registering_another_bucket_while_highest_is_absent) {
    TinyWalk walk = tiny(without_highest(with_table({3})), {{acquire(2, 2)}});
    walk.steps(0, 3);
    const Event event = walk.step();
    EXPECT_TRUE(event.is(kCallerDied));
    EXPECT_EQ(walk.show(), "db [3,1] highest -  nobody holds") << "its bucket keeps the 1";
    EXPECT_EQ(references(walk), 0U) << "no notification was sent";
    EXPECT_EQ(walk.enabled(), "");
}

TEST(CanalAcquire, notifies_the_manager_and_returns_the_running_count) {
    TinyWalk walk = tiny(with_table({3, 0}), {{acquire(2, 2)}});
    walk.steps(0, 2);
    const Event event = walk.step();
    EXPECT_EQ(event.what, kAcquired);
    EXPECT_EQ(event.count, 3) << "(2 - 1) * 2 + 1";
    EXPECT_EQ(walk.next_background(), "manager: lock db of A");
    EXPECT_EQ(walk.believed(), 1U);
}

TEST(CanalAcquire, without_manager_returns_with_the_step_that_takes_the_unit) {
    TinyWalk walk = tiny(counters_only(with_table({1})), {{acquire(2, 1)}});
    const Event event = walk.step();
    EXPECT_EQ(event.what, kInvoked | kTookUnit | kGranted | kAcquired);
    EXPECT_EQ(event.count, 2);
    EXPECT_EQ(walk.enabled(), "");
}

// --- release, steps 5 to 7
// ---------------------------------------------------------------------------

TEST(CanalRelease, reads_highest_and_begins_with_that_bucket) {
    TinyWalk walk = tiny(with_table({3, 1}), {{release_unchecked(2, 2)}});
    EXPECT_EQ(walk.step().value, 2);
    EXPECT_EQ(table(walk), "[3,1] highest 2");
    EXPECT_EQ(walk.next(), "A release: subtract db[2]");
}

TEST(CanalRelease, dies_of_reading_highest_while_it_is_absent) {
    TinyWalk walk = tiny(without_highest(with_table({2})), {{release_unchecked(2, 1)}});
    EXPECT_TRUE(walk.step().is(kCallerDied));
    EXPECT_EQ(table(walk), "[2] highest -");
}

TEST(CanalRelease, keeps_the_highest_bucket_that_it_read) {
    TinyWalk walk = tiny(with_table({3}), {{release_unchecked(2, 2)}, {acquire(2, 2)}});
    walk.step(0);
    walk.steps(1, 4);
    EXPECT_EQ(table(walk), "[3,1] highest 2");
    EXPECT_EQ(walk.next(0), "A release: subtract db[1]");
}

TEST(CanalRelease, subtracts_1_and_is_done_below_max_per) {
    for (const auto& [before, after] : {std::pair{2, "[1] highest 1"}, {1, "[0] highest 1"}}) {
        TinyWalk walk = tiny(with_table({before}), {{release_unchecked(2, 1)}});
        const Event event = walk.steps(0, 2);
        EXPECT_EQ(event.what, kGaveUnitBack);
        EXPECT_EQ(event.place, 1);
        EXPECT_EQ(table(walk), after);
        EXPECT_EQ(walk.next(), "A release: send unlock db");
    }
}

TEST(CanalRelease, that_took_the_mark_subtracts_again) {
    TinyWalk walk = tiny(with_table({3}), {{release_unchecked(2, 1)}});
    EXPECT_EQ(walk.steps(0, 2).what, 0U);
    EXPECT_EQ(table(walk), "[2] highest 1");
    EXPECT_EQ(walk.next(), "A release: subtract mark db[1]");
}

TEST(CanalRelease, of_an_empty_bucket_goes_below_0_for_a_moment) {
    TinyWalk walk = tiny(with_table({0}), {{release_unchecked(2, 1)}});
    EXPECT_EQ(walk.steps(0, 2).value, -1);
    EXPECT_EQ(table(walk), "[-1] highest 1");
    EXPECT_EQ(walk.next(), "A release: undo db[1]");
}

TEST(CanalRelease, has_no_rule_above_max_per_and_dies) {
    TinyWalk walk = tiny(with_table({5}, 5), {{release_unchecked(2, 1)}});
    walk.step();
    EXPECT_TRUE(walk.step().is(kCallerDied));
    EXPECT_EQ(table(walk), "[4] highest 1") << "what it subtracted stays subtracted";
}

TEST(CanalRelease, undoes_an_empty_bucket_and_goes_on_to_its_left) {
    TinyWalk walk = tiny(with_table({2, 0}), {{release_unchecked(2, 2)}});
    walk.steps(0, 3);
    EXPECT_EQ(table(walk), "[2,0] highest 2");
    EXPECT_EQ(walk.next(), "A release: subtract db[1]");
    EXPECT_TRUE(walk.step().is(kGaveUnitBack));
    EXPECT_EQ(table(walk), "[1,0] highest 2");
}

TEST(CanalRelease, that_finds_nothing_in_any_bucket_gives_up_and_tells_the_manager_anyway) {
    TinyWalk walk = tiny(with_table({0, 0}), {{release_unchecked(2, 2)}});
    walk.steps(0, 4);
    const Event event = walk.step();
    EXPECT_EQ(event.what, kNothingToRelease);
    EXPECT_EQ(table(walk), "[0,0] highest 2");
    EXPECT_EQ(walk.next(), "A release: send unlock db");
}

// --- release, steps 8 to 10
// --------------------------------------------------------------------------

TEST(CanalMark, is_gone_with_the_second_subtraction) {
    TinyWalk walk = tiny(with_table({3}), {{release_unchecked(2, 1)}});
    EXPECT_EQ(walk.steps(0, 3).what, kGaveUnitBack);
    EXPECT_EQ(table(walk), "[1] highest 1");
    EXPECT_EQ(walk.next(), "A release: send unlock db");
}

// B is refused again and again: after each, the counter is at its cap once more.
TEST(CanalMark, that_others_set_again_is_subtracted_as_often_as_there_are_tries_then_by_force) {
    TinyWalk walk = tiny(trying(with_table({3}), 2), {{release_unchecked(2, 1)}, {insist(2, 1)}});
    walk.steps(0, 2);
    for (int tried = 0; tried < 2; ++tried) {
        EXPECT_EQ(walk.next(), "A release: subtract mark db[1]");
        EXPECT_TRUE(walk.step(1).is(kRefused));
        EXPECT_EQ(table(walk), "[3] highest 1");
        EXPECT_EQ(walk.step(0).value, 2);
    }
    EXPECT_EQ(walk.next(), "A release: force db[1]");
    walk.step(1);
    EXPECT_EQ(walk.step(0).what, kForcedRelease | kGaveUnitBack);
    EXPECT_EQ(table(walk), "[1] highest 1");
    EXPECT_EQ(walk.next(), "A release: send unlock db");
}

TEST(CanalMark, is_forced_at_once_when_there_are_no_tries) {
    TinyWalk walk = tiny(trying(with_table({3}), 0), {{release_unchecked(2, 1)}});
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A release: force db[1]");
    EXPECT_EQ(walk.step().value, 0) << "2 - 2: frees a lock that somebody may hold";
}

TEST(CanalMark, is_subtracted_for_ever_when_tries_are_without_end) {
    TinyWalk walk =
        tiny(trying(with_table({3}), std::nullopt), {{release_unchecked(2, 1)}, {insist(2, 1)}});
    walk.steps(0, 2);
    const auto before = walk.state();
    for (int i = 0; i < 300; ++i) {
        walk.step(1);
        walk.step(0);
        ASSERT_EQ(std::memcmp(&walk.state().slots[0], &before.slots[0], sizeof(before.slots[0])),
                  0);
    }
    EXPECT_EQ(walk.next(), "A release: subtract mark db[1]");
}

TEST(CanalMark, is_not_subtracted_below_0) {
    for (const std::uint8_t tries : std::array<std::uint8_t, 2>{0, 1}) {
        TinyWalk walk = tiny(trying(with_table({2}, 1), tries),
                             {{release_unchecked(1, 1)}, {release_unchecked(1, 1)}});
        walk.steps(0, 2);
        EXPECT_EQ(table(walk), "[1] highest 1");
        walk.steps(1, 2);
        EXPECT_EQ(table(walk), "[0] highest 1");
        walk.step(0);
        EXPECT_EQ(table(walk), "[0] highest 1") << "floor, with tries " << +tries;
    }
}

TEST(CanalMark, above_max_per_has_no_rule_and_kills_the_caller) {
    CanalOptions options = with_table({3});
    options.max_pers = {2, 5};
    TinyWalk walk = tiny(options, {{release_unchecked(2, 1)}, {acquire(5, 1), acquire(5, 1)}});
    walk.steps(0, 2);
    walk.steps(1, 4);
    EXPECT_EQ(table(walk), "[4] highest 1");
    EXPECT_TRUE(walk.step(0).is(kCallerDied));
    EXPECT_EQ(table(walk), "[3] highest 1");
}

TEST(CanalUnlock, waits_for_the_reply_of_the_manager) {
    TinyWalk walk = tiny(with_table({1}), {{release_unchecked(2, 1)}});
    walk.steps(0, 3);
    EXPECT_EQ(walk.enabled(), "b0.2") << "the caller is blocked";
    EXPECT_EQ(walk.next_background(), "manager: unlock db of A");
    walk.drain();
    EXPECT_EQ(walk.next(), "A release: receive reply");
    EXPECT_TRUE(walk.step().is(kReleased));
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(CanalUnlock, is_left_out_without_manager) {
    TinyWalk walk = tiny(counters_only(with_table({1})), {{release_unchecked(2, 1)}});
    EXPECT_TRUE(walk.steps(0, 2).is(kReleased));
    EXPECT_EQ(walk.enabled(), "");
}

// --- the seeds' listings
// -----------------------------------------------------------------------------

TEST(CanalLock, passes_the_timeline_of_the_five_callers) {
    Walk<canal::CanalLock<canal::SmallSize>> walk(
        canal::CanalLock<canal::SmallSize>(with_table({}, 3)),
        world_of(
            {{acquire(3, 1)}, {acquire(3, 1)}, {acquire(3, 2)}, {acquire(3, 2)}, {acquire(3, 1)}}));
    std::vector<int> counts;
    for (const std::uint8_t caller : std::array<std::uint8_t, 3>{1, 0, 2}) {
        counts.push_back(walk.call(caller).count);
    }
    EXPECT_TRUE(walk.call(4).is(kRefused));
    counts.push_back(walk.call(3).count);
    EXPECT_EQ(counts, (std::vector{1, 2, 3, 4}));
    EXPECT_EQ(walk.counters(), (std::vector{4, 1}));
    EXPECT_EQ(walk.believed(), 4U);
}

}  // namespace
}  // namespace lockkeeper
