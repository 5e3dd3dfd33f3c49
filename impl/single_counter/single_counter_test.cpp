// SPDX-License-Identifier: Apache-2.0

// The baseline: its steps, and the timeline of the seeds that corrupts it.
#include "impl/single_counter/single_counter.hpp"

#include <gtest/gtest.h>

#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;
using Size = WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>;
using Counter = single_counter::SingleCounter<Size>;
static_assert(Implementation<Counter>);
static_assert(PlainState<World<Counter>::State>);

Walk<Counter> made(std::int32_t initial, const std::vector<std::vector<Operation>>& scripts,
                   std::optional<std::uint8_t> tries = 15,
                   std::vector<std::uint32_t> capacities = {3}) {
    single_counter::Options options;
    options.initial = {initial};
    options.max_decr_tries = tries;
    options.capacities = std::move(capacities);
    return {Counter(options), world_of(scripts)};
}

std::int32_t value(const Walk<Counter>& walk) { return walk.counters().at(0); }

TEST(SingleCounterAcquire, adds_1_and_returns_the_counter_in_one_step) {
    auto walk = made(1, {{acquire(3, 1)}});
    const Event event = walk.step();
    EXPECT_EQ(event.what, kInvoked | kTookUnit | kGranted | kAcquired);
    EXPECT_EQ(event.count, 2);
    EXPECT_EQ(walk.show(), "db 2  held by A");
}

TEST(SingleCounterAcquire, of_the_last_unit_is_granted) {
    EXPECT_EQ(made(2, {{acquire(3, 1)}}).step().count, 3);
}

TEST(SingleCounterAcquire, above_the_capacity_leaves_the_mark_and_is_refused) {
    for (const std::int32_t before : {3, 4, 6}) {
        auto walk = made(before, {{acquire(3, 1)}});
        EXPECT_EQ(walk.step().what, kInvoked | kFoundFull | kRefused);
        EXPECT_EQ(value(walk), 4) << "whatever others with a larger view had counted";
    }
}

TEST(SingleCounterRelease, subtracts_1_with_floor_0) {
    for (const auto& [before, after] : {std::pair{3, 2}, {1, 0}, {0, 0}, {7, 6}}) {
        auto walk = made(before, {{release_unchecked(3, 1)}});
        EXPECT_EQ(walk.step().what, kInvoked | kGaveUnitBack | kReleased);
        EXPECT_EQ(value(walk), after);
    }
}

TEST(SingleCounterRelease, that_took_its_own_mark_subtracts_again) {
    auto walk = made(4, {{release_unchecked(3, 1)}});
    EXPECT_EQ(walk.step().what, kInvoked);
    EXPECT_EQ(value(walk), 3);
    EXPECT_EQ(walk.next(), "A release: subtract mark db");
    EXPECT_TRUE(walk.step().is(kReleased));
    EXPECT_EQ(value(walk), 2);
}

TEST(SingleCounterRelease, whose_second_step_ends_above_its_capacity_dies) {
    auto walk = made(4, {{release_unchecked(3, 1)}, {acquire(3, 2)}, {acquire(3, 2)}}, 15, {3, 6});
    walk.step();  // the mark: 3
    walk.step(1);
    walk.step(2);  // others see six places: 5
    EXPECT_TRUE(walk.step().is(kCallerDied));
    EXPECT_EQ(value(walk), 4);
}

TEST(SingleCounterRelease, that_finds_the_mark_again_and_again_forces_at_last) {
    auto walk = made(4, {{release_unchecked(3, 1)}, {insist(3, 1)}}, 2);
    walk.step(0);
    for (int tried = 0; tried < 2; ++tried) {
        EXPECT_EQ(walk.next(), "A release: subtract mark db");
        walk.step(1);
        walk.step(0);
    }
    EXPECT_EQ(walk.next(), "A release: force db");
    walk.step(1);
    EXPECT_EQ(walk.step(0).what, kForcedRelease | kGaveUnitBack | kReleased);
    EXPECT_EQ(value(walk), 2);
}

TEST(SingleCounterRelease, forces_at_once_without_tries_and_never_with_tries_without_end) {
    auto at_once = made(4, {{release_unchecked(3, 1)}}, 0);
    at_once.step();
    EXPECT_EQ(at_once.next(), "A release: force db");
    at_once.step();
    EXPECT_EQ(value(at_once), 1);
    auto never = made(4, {{release_unchecked(3, 1)}, {insist(3, 1)}}, std::nullopt);
    never.step(0);
    for (int i = 0; i < 300; ++i) {
        never.step(1);
        never.step(0);
    }
    EXPECT_EQ(never.next(), "A release: subtract mark db");
}

TEST(SingleCounterObservation, tells_marks_from_units_only_at_a_capacity_that_somebody_sees) {
    for (const auto& [counter, least, most] :
         {std::tuple{3, 3U, 3U}, {4, 3U, 4U}, {5, 5U, 5U}, {6, 6U, 6U}, {7, 6U, 6U}}) {
        const Observation seen = made(counter, {{}}, 15, {3, 6}).seen();
        EXPECT_EQ(seen.keys[0].counted_least, least) << counter;
        EXPECT_EQ(seen.keys[0].counted_most, most) << counter;
    }
}

// B, A and E see 3, C and D see 6. They arrive as B, A, C, E, D: E's mark becomes D's unit.
TEST(SingleCounterTimeline, of_the_seeds_ends_with_five_counted_and_four_held) {
    auto walk = made(0,
                     {{acquire(3, 1), release(3, 1)},
                      {acquire(3, 1), release(3, 1)},
                      {acquire(3, 2), release(3, 2)},
                      {acquire(3, 2), release(3, 2)},
                      {acquire(3, 1)}},
                     15, {3, 6});
    std::vector<std::int32_t> counted;
    for (const char name : std::string("BACED")) {
        walk.step(static_cast<std::uint8_t>(name - 'A'));
        counted.push_back(value(walk));
    }
    EXPECT_EQ(counted, (std::vector{1, 2, 3, 4, 5}));
    EXPECT_EQ(walk.believed(), 4U);
    EXPECT_EQ(walk.seen().keys[0].counted_least, 5U);
    for (const char name : std::string("DCAB")) {
        EXPECT_TRUE(walk.call(static_cast<std::uint8_t>(name - 'A')).is(kReleased));
    }
    EXPECT_EQ(walk.show(), "db 1  nobody holds") << "a unit that no one can return";
}

}  // namespace
}  // namespace lockkeeper
