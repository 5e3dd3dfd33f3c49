// Each predicate with what breaks it and with what nearly does.
#include "properties/predicates.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::predicates {
namespace {

// Two keys, two callers; nothing held, nothing counted.
Observation at_rest() {
    Observation observation{};
    observation.quiescent = true;
    observation.keys_count = 2;
    observation.callers_count = 2;
    return observation;
}

Observation counting(std::uint32_t least, std::uint32_t most, std::uint32_t believed) {
    Observation observation = at_rest();
    observation.keys[1].counted_least = least;
    observation.keys[1].counted_most = most;
    observation.keys[1].believed = believed;
    return observation;
}

Observation referring(std::uint32_t references, std::uint32_t believed) {
    Observation observation = at_rest();
    observation.callers[1].references[1] = references;
    observation.callers[1].believed[1] = believed;
    return observation;
}

TEST(OverAllocated, is_a_grant_while_the_whole_capacity_is_held) {
    Event event;
    event.capacity = 3;
    event.holding_before = 3;
    EXPECT_TRUE(over_allocated({}, event));
    event.holding_before = 4;
    EXPECT_TRUE(over_allocated({}, event));
    event.holding_before = 2;
    EXPECT_FALSE(over_allocated({}, event));
}

TEST(OverAllocated, is_every_grant_to_a_caller_that_sees_no_bucket) {
    EXPECT_TRUE(over_allocated({}, Event{}));
}

TEST(Leaked, are_units_that_surely_are_counted_and_not_held) {
    EXPECT_TRUE(leaked(counting(1, 1, 0), {}));
    EXPECT_TRUE(leaked(counting(3, 4, 2), {}));
    EXPECT_FALSE(leaked(counting(2, 2, 2), {}));
    EXPECT_FALSE(leaked(counting(2, 3, 2), {})) << "the third may be a mark";
    EXPECT_FALSE(leaked(counting(1, 1, 2), {}));
}

TEST(Leaked, are_none_when_the_manager_took_the_tables_along) {
    Observation observation = counting(1, 1, 0);
    observation.manager_dead = true;
    EXPECT_FALSE(leaked(observation, {}));
}

TEST(Leaked, are_looked_for_in_the_keys_that_there_are) {
    Observation observation = counting(1, 1, 0);
    observation.keys_count = 1;
    EXPECT_FALSE(leaked(observation, {}));
}

TEST(RefusedWithoutReason, is_a_refusal_while_never_the_whole_capacity_was_possibly_held) {
    Event event;
    event.capacity = 3;
    event.possible_most = 2;
    EXPECT_TRUE(refused_without_reason({}, event));
    event.possible_most = 3;
    EXPECT_FALSE(refused_without_reason({}, event));
    event.capacity = 0;
    event.possible_most = 0;
    EXPECT_FALSE(refused_without_reason({}, event));
}

TEST(ReleasedTwice, are_units_that_are_held_and_surely_not_counted) {
    EXPECT_TRUE(released_twice(counting(1, 1, 2), {}));
    EXPECT_TRUE(released_twice(counting(0, 0, 1), {}));
    EXPECT_FALSE(released_twice(counting(1, 2, 2), {})) << "the second may be no mark";
    EXPECT_FALSE(released_twice(counting(2, 2, 2), {}));
    Observation observation = counting(0, 0, 1);
    observation.manager_dead = true;
    EXPECT_FALSE(released_twice(observation, {}));
}

TEST(NegativeAtRest, is_a_counter_below_0) {
    Observation observation = at_rest();
    EXPECT_FALSE(negative_at_rest(observation, {}));
    observation.keys[1].lowest_counter = -1;
    EXPECT_TRUE(negative_at_rest(observation, {}));
    observation.manager_dead = true;
    EXPECT_FALSE(negative_at_rest(observation, {}));
}

// Others held at least 1 and at most 3: with the caller 2, 3 or 4.
TEST(CountIsWrong, outside_of_what_was_true_at_some_instant) {
    Event event;
    event.certain_least = 1;
    event.possible_most = 3;
    for (const std::int32_t count : {2, 3, 4}) {
        event.count = count;
        EXPECT_FALSE(count_is_wrong({}, event)) << count;
    }
    for (const std::int32_t count : {-1, 0, 1, 5}) {
        event.count = count;
        EXPECT_TRUE(count_is_wrong({}, event)) << count;
    }
}

TEST(ReferenceLost, is_a_lock_of_which_the_manager_does_not_know) {
    EXPECT_TRUE(reference_lost(referring(0, 1), {}));
    EXPECT_TRUE(reference_lost(referring(1, 2), {}));
    EXPECT_FALSE(reference_lost(referring(2, 2), {}));
    EXPECT_FALSE(reference_lost(referring(3, 2), {}));
}

TEST(ReferenceForeign, is_a_reference_without_a_lock) {
    EXPECT_TRUE(reference_foreign(referring(1, 0), {}));
    EXPECT_TRUE(reference_foreign(referring(3, 2), {}));
    EXPECT_FALSE(reference_foreign(referring(2, 2), {}));
    EXPECT_FALSE(reference_foreign(referring(1, 2), {}));
}

TEST(References, of_one_caller_or_key_do_not_make_up_for_those_of_another) {
    Observation observation = referring(0, 1);
    observation.callers[0].references[1] = 1;
    EXPECT_TRUE(reference_lost(observation, {}));
    EXPECT_TRUE(reference_foreign(observation, {}));
    observation = referring(0, 1);
    observation.callers[1].references[0] = 1;
    EXPECT_TRUE(reference_lost(observation, {}));
    EXPECT_TRUE(reference_foreign(observation, {}));
}

TEST(References, are_looked_for_among_the_callers_and_keys_that_there_are) {
    for (Observation observation : {referring(0, 1), referring(1, 0)}) {
        Observation fewer_callers = observation;
        fewer_callers.callers_count = 1;
        Observation fewer_keys = observation;
        fewer_keys.keys_count = 1;
        Observation dead = observation;
        dead.manager_dead = true;
        for (const Observation& none : {fewer_callers, fewer_keys, dead}) {
            EXPECT_FALSE(reference_lost(none, {}));
            EXPECT_FALSE(reference_foreign(none, {}));
        }
    }
}

TEST(Happened, is_true_because_the_trigger_says_it_all) { EXPECT_TRUE(happened({}, {})); }

TEST(Poisoned, is_a_key_of_which_every_release_fails) {
    Observation observation = at_rest();
    EXPECT_FALSE(poisoned(observation, {}));
    observation.keys[1].releasable = false;
    EXPECT_TRUE(poisoned(observation, {}));
    observation.keys_count = 1;
    EXPECT_FALSE(poisoned(observation, {}));
}

// --- order ---------------------------------------------------------------------------------------

Observation with_counters(std::vector<std::int32_t> counters) {
    Observation observation = at_rest();
    observation.keys[1].buckets_count = static_cast<std::uint16_t>(counters.size());
    std::copy(counters.begin(), counters.end(), observation.keys[1].counters.begin());
    return observation;
}

Event at_bucket(std::uint16_t bucket) {
    Event event;
    event.key = 1;
    event.bucket = bucket;
    event.max_per = 2;
    return event;
}

TEST(AcquiredOutOfOrder, is_a_unit_taken_while_a_bucket_to_the_left_has_room) {
    EXPECT_TRUE(acquired_out_of_order(with_counters({1, 1}), at_bucket(2)));
    EXPECT_TRUE(acquired_out_of_order(with_counters({3, 1, 1}), at_bucket(3)));
    EXPECT_TRUE(acquired_out_of_order(with_counters({kAbsentCounter, 1}), at_bucket(2)));
    EXPECT_FALSE(acquired_out_of_order(with_counters({2, 1}), at_bucket(2)));
    EXPECT_FALSE(acquired_out_of_order(with_counters({3, 1}), at_bucket(2)));
    EXPECT_FALSE(acquired_out_of_order(with_counters({1, 0}), at_bucket(1)));
}

TEST(ReleasedOutOfOrder, is_a_unit_given_back_while_a_bucket_to_the_right_counts_one) {
    EXPECT_TRUE(released_out_of_order(with_counters({1, 1}), at_bucket(1)));
    EXPECT_TRUE(released_out_of_order(with_counters({1, 0, 1}), at_bucket(2)));
    EXPECT_FALSE(released_out_of_order(with_counters({1, 0}), at_bucket(1)));
    EXPECT_FALSE(released_out_of_order(with_counters({1, -1}), at_bucket(1)));
    EXPECT_FALSE(released_out_of_order(with_counters({1, kAbsentCounter}), at_bucket(1)));
    EXPECT_FALSE(released_out_of_order(with_counters({2, 1}), at_bucket(2)));
}

}  // namespace
}  // namespace lockkeeper::predicates
