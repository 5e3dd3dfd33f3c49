// SPDX-License-Identifier: Apache-2.0

// Each rule with what breaks it and with what nearly does.
#include <gtest/gtest.h>

#include "properties/catalogue.hpp"

namespace lockkeeper {
namespace {

bool breaks(std::string_view property, const Observation& seen, const Event& event = {}) {
    return find_property(property)->holds_not(seen, event);
}

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
    EXPECT_TRUE(breaks("over-allocation", {}, event));
    event.holding_before = 4;
    EXPECT_TRUE(breaks("over-allocation", {}, event));
    event.holding_before = 2;
    EXPECT_FALSE(breaks("over-allocation", {}, event));
}

TEST(OverAllocated, is_every_grant_to_a_caller_that_sees_no_place) {
    EXPECT_TRUE(breaks("over-allocation", {}, Event{}));
}

TEST(Leaked, are_units_that_surely_are_counted_and_not_held) {
    EXPECT_TRUE(breaks("leak", counting(1, 1, 0)));
    EXPECT_TRUE(breaks("leak", counting(3, 4, 2)));
    EXPECT_FALSE(breaks("leak", counting(2, 2, 2)));
    EXPECT_FALSE(breaks("leak", counting(2, 3, 2))) << "the third may be a mark";
    EXPECT_FALSE(breaks("leak", counting(1, 1, 2)));
}

TEST(Leaked, are_none_when_the_manager_took_the_tables_along) {
    Observation observation = counting(1, 1, 0);
    observation.servers_gone = true;
    EXPECT_FALSE(breaks("leak", observation));
}

TEST(Leaked, are_looked_for_in_the_keys_that_there_are) {
    Observation observation = counting(1, 1, 0);
    observation.keys_count = 1;
    EXPECT_FALSE(breaks("leak", observation));
}

TEST(RefusedWithoutReason, is_a_refusal_while_never_the_whole_capacity_was_possibly_held) {
    Event event;
    event.capacity = 3;
    event.possible_most = 2;
    EXPECT_TRUE(breaks("under-allocation", {}, event));
    event.possible_most = 3;
    EXPECT_FALSE(breaks("under-allocation", {}, event));
    event.capacity = 0;
    event.possible_most = 0;
    EXPECT_FALSE(breaks("under-allocation", {}, event));
}

TEST(ReleasedTwice, are_units_that_are_held_and_surely_not_counted) {
    EXPECT_TRUE(breaks("double-release", counting(1, 1, 2)));
    EXPECT_TRUE(breaks("double-release", counting(0, 0, 1)));
    EXPECT_FALSE(breaks("double-release", counting(1, 2, 2))) << "the second may be no mark";
    EXPECT_FALSE(breaks("double-release", counting(2, 2, 2)));
    Observation observation = counting(0, 0, 1);
    observation.servers_gone = true;
    EXPECT_FALSE(breaks("double-release", observation));
}

TEST(NegativeAtRest, is_a_counter_below_0) {
    Observation observation = at_rest();
    EXPECT_FALSE(breaks("negative-counter", observation));
    observation.keys[1].counters = {kAbsentCounter, 1, -1};
    EXPECT_TRUE(breaks("negative-counter", observation));
    observation.servers_gone = true;
    EXPECT_FALSE(breaks("negative-counter", observation));
}

// Others held at least 1 and at most 3: with the caller 2, 3 or 4.
TEST(CountIsWrong, outside_of_what_was_true_at_some_instant) {
    Event event;
    event.certain_least = 1;
    event.possible_most = 3;
    for (const std::int32_t count : {2, 3, 4}) {
        event.count = count;
        EXPECT_FALSE(breaks("wrong-count", {}, event)) << count;
    }
    for (const std::int32_t count : {-1, 0, 1, 5}) {
        event.count = count;
        EXPECT_TRUE(breaks("wrong-count", {}, event)) << count;
    }
}

TEST(ReferenceLost, is_a_lock_of_which_the_manager_does_not_know) {
    EXPECT_TRUE(breaks("lost-reference", referring(0, 1)));
    EXPECT_TRUE(breaks("lost-reference", referring(1, 2)));
    EXPECT_FALSE(breaks("lost-reference", referring(2, 2)));
    EXPECT_FALSE(breaks("lost-reference", referring(3, 2)));
}

TEST(ReferenceForeign, is_a_reference_without_a_lock) {
    EXPECT_TRUE(breaks("foreign-reference", referring(1, 0)));
    EXPECT_TRUE(breaks("foreign-reference", referring(3, 2)));
    EXPECT_FALSE(breaks("foreign-reference", referring(2, 2)));
    EXPECT_FALSE(breaks("foreign-reference", referring(1, 2)));
}

TEST(References, of_one_caller_or_key_do_not_make_up_for_those_of_another) {
    Observation observation = referring(0, 1);
    observation.callers[0].references[1] = 1;
    EXPECT_TRUE(breaks("lost-reference", observation));
    EXPECT_TRUE(breaks("foreign-reference", observation));
    observation = referring(0, 1);
    observation.callers[1].references[0] = 1;
    EXPECT_TRUE(breaks("lost-reference", observation));
    EXPECT_TRUE(breaks("foreign-reference", observation));
}

TEST(References, are_looked_for_among_the_callers_and_keys_that_there_are) {
    for (const Observation& observation : {referring(0, 1), referring(1, 0)}) {
        Observation fewer_callers = observation;
        fewer_callers.callers_count = 1;
        Observation fewer_keys = observation;
        fewer_keys.keys_count = 1;
        Observation dead = observation;
        dead.servers_gone = true;
        for (const Observation& none : {fewer_callers, fewer_keys, dead}) {
            EXPECT_FALSE(breaks("lost-reference", none));
            EXPECT_FALSE(breaks("foreign-reference", none));
        }
    }
}

TEST(FalseError, is_a_block_that_failed_although_it_is_or_becomes_committed) {
    Event event;
    event.what |= kFailed;
    EXPECT_FALSE(breaks("false-error", {}, event));
    event.note(Breach::kFalseError);
    EXPECT_TRUE(breaks("false-error", {}, event));
    event.what &= ~kFailed;
    EXPECT_TRUE(breaks("false-error", {}, event)) << "the next block commits what it has left";
    event.note(Breach::kFalseError, false);
    EXPECT_TRUE(breaks("false-error", {}, event));
    event.forget(Breach::kFalseError);
    EXPECT_FALSE(breaks("false-error", {}, event));
    EXPECT_FALSE(event.is(kBreach));
}

TEST(LongMailbox, is_what_the_system_notes_of_its_messages) {
    Event event;
    EXPECT_FALSE(breaks("long-mailbox", {}, event));
    event.note(Breach::kWaitsLong);
    EXPECT_TRUE(breaks("long-mailbox", {}, event));
}

TEST(Poisoned, is_a_key_of_which_every_release_fails) {
    Observation observation = at_rest();
    EXPECT_FALSE(breaks("poisoned-key", observation));
    observation.keys[1].releasable = false;
    EXPECT_TRUE(breaks("poisoned-key", observation));
    observation.keys_count = 1;
    EXPECT_FALSE(breaks("poisoned-key", observation));
}

// --- order ---------------------------------------------------------------------------------------

Observation with_counters(std::vector<std::int32_t> counters) {
    Observation observation = at_rest();
    observation.keys[1].counters = std::move(counters);
    return observation;
}

Event at_place(std::uint16_t place) {
    Event event;
    event.key = 1;
    event.place = place;
    event.place_capacity = 2;
    return event;
}

TEST(AcquiredOutOfOrder, is_a_unit_taken_while_a_place_to_the_left_has_room) {
    EXPECT_TRUE(breaks("acquire-order", with_counters({1, 1}), at_place(2)));
    EXPECT_TRUE(breaks("acquire-order", with_counters({3, 1, 1}), at_place(3)));
    EXPECT_TRUE(breaks("acquire-order", with_counters({kAbsentCounter, 1}), at_place(2)));
    EXPECT_FALSE(breaks("acquire-order", with_counters({2, 1}), at_place(2)));
    EXPECT_FALSE(breaks("acquire-order", with_counters({3, 1}), at_place(2)));
    EXPECT_FALSE(breaks("acquire-order", with_counters({1, 0}), at_place(1)));
}

TEST(ReleasedOutOfOrder, is_a_unit_given_back_while_a_place_to_the_right_counts_one) {
    EXPECT_TRUE(breaks("release-order", with_counters({1, 1}), at_place(1)));
    EXPECT_TRUE(breaks("release-order", with_counters({1, 0, 1}), at_place(2)));
    EXPECT_FALSE(breaks("release-order", with_counters({1, 0}), at_place(1)));
    EXPECT_FALSE(breaks("release-order", with_counters({1, -1}), at_place(1)));
    EXPECT_FALSE(breaks("release-order", with_counters({1, kAbsentCounter}), at_place(1)));
    EXPECT_FALSE(breaks("release-order", with_counters({2, 1}), at_place(2)));
}

}  // namespace
}  // namespace lockkeeper
