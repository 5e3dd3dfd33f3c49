// SPDX-License-Identifier: Apache-2.0

// Resizes, and what a call sees of them: what was current when it began; a release passes what its
// acquire saw. The lock of these tests shows in `event.value` the buckets that a step was given.
// Also what the monitors of a call note of others.
#include <gtest/gtest.h>

#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;

TestAndSet shared_word() {
    TestAndSet lock;
    lock.ignores_owners = true;
    return lock;
}

WorldConfig with_views(WorldConfig config, std::vector<std::uint16_t> views) {
    config.views = std::move(views);
    return config;
}

TEST(WorldResize, follows_the_views_one_after_the_other) {
    Walk walk(TestAndSet{}, with_views(world_of({{acquire()}}), {1, 3, 2}));
    Event event = walk.apply("r");
    EXPECT_EQ(event.what, kResized);
    EXPECT_EQ(event.value, 3);
    event = walk.apply("r");
    EXPECT_EQ(event.value, 2);
    EXPECT_EQ(walk.enabled(), "s0");
}

TEST(WorldResize, is_seen_by_calls_that_begin_after_it) {
    Walk walk(shared_word(),
              with_views(world_of({{following(acquire(2)), following(acquire(2))}}), {1, 3}));
    Event event = walk.step();
    EXPECT_EQ(event.value, 1);
    walk.apply("r");
    event = walk.step();
    EXPECT_EQ(event.value, 1) << "in flight: keeps what it started with";
    EXPECT_EQ(event.capacity, 2U);
    event = walk.step();
    EXPECT_EQ(event.value, 3);
    EXPECT_EQ(event.capacity, 6U);
}

TEST(WorldResize, is_not_seen_by_calls_with_a_number_of_their_own) {
    Walk walk(shared_word(), with_views(world_of({{acquire(1, 5)}}), {1, 3}));
    walk.apply("r");
    EXPECT_EQ(walk.step().value, 5);
}

TEST(WorldResize, is_seen_by_the_next_try_of_an_acquire_that_insists) {
    Walk walk(TestAndSet{}, with_views(world_of({{acquire()}, {following(insist())}}), {1, 3}));
    walk.steps(0, 2);
    EXPECT_EQ(walk.step(1).value, 1);
    walk.apply("r");
    EXPECT_EQ(walk.step(1).value, 3);
}

TEST(WorldResize, does_not_change_what_a_release_passes) {
    Walk walk(shared_word(), with_views(world_of({{following(acquire()), following(acquire()),
                                                   following(release()), following(release())}}),
                                        {1, 3, 2}));
    walk.steps(0, 2);
    walk.apply("r");
    walk.steps(0, 2);
    walk.apply("r");
    EXPECT_EQ(walk.step().value, 3) << "the latest acquire's is released first";
    EXPECT_EQ(walk.step().value, 3);
    EXPECT_EQ(walk.step().value, 1);
    EXPECT_EQ(walk.step().value, 1);
}

TEST(WorldResize, is_remembered_for_as_many_locks_as_the_size_has_room_for) {
    WorldConfig config = world_of({{following(acquire())}});
    config.callers[0].repeats_forever = true;
    Walk walk(shared_word(), config);
    walk.steps(0, 4);
    EXPECT_EQ(walk.believed(), 2U);
    EXPECT_THROW(walk.step(), LimitExceeded);
}

// --- monitors ------------------------------------------------------------------------------------

// A acquires in two steps; what B does between them is noted when A returns.
class WorldMonitor : public ::testing::Test {
  protected:
    static WorldConfig watched(std::vector<std::vector<Operation>> scripts) {
        WorldConfig config = world_of(scripts);
        config.keys = {"db", "cache"};
        config.watches_others = true;
        return config;
    }
    static void expect(const Event& returned, std::uint32_t certain_least,
                       std::uint32_t possible_most) {
        EXPECT_TRUE(returned.is(kAcquired));
        EXPECT_EQ(returned.certain_least, certain_least);
        EXPECT_EQ(returned.possible_most, possible_most);
    }
};

TEST_F(WorldMonitor, notes_nothing_when_nobody_else_is_there) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire()}}));
    expect(walk.steps(0, 2), 0, 0);
}

TEST_F(WorldMonitor, notes_as_certain_who_holds_all_the_time) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire()}}));
    walk.steps(1, 2);
    expect(walk.steps(0, 2), 1, 1);
}

TEST_F(WorldMonitor, notes_as_possible_who_begins_to_hold) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire()}}));
    walk.step(0);
    walk.steps(1, 2);
    expect(walk.step(0), 0, 1);
}

TEST_F(WorldMonitor, notes_as_possible_who_is_granted_and_has_not_returned) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire()}}));
    walk.step(1);
    expect(walk.steps(0, 2), 0, 1);
}

TEST_F(WorldMonitor, notes_as_possible_who_is_inside_release) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire(), release()}}));
    walk.steps(1, 3);
    expect(walk.steps(0, 2), 0, 1);
}

TEST_F(WorldMonitor, keeps_the_most_that_was_possible_after_the_others_have_left) {
    Walk walk(shared_word(),
              watched({{acquire()}, {acquire(), release()}, {acquire(), release()}}));
    walk.steps(1, 2);
    walk.steps(2, 2);
    walk.step(0);
    walk.steps(1, 2);
    walk.steps(2, 2);
    expect(walk.step(0), 0, 2);
}

TEST_F(WorldMonitor, forgets_what_was_before_the_call) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire(), release()}}));
    walk.steps(1, 4);
    expect(walk.steps(0, 2), 0, 0);
}

TEST_F(WorldMonitor, counts_what_the_caller_itself_holds) {
    Walk walk(shared_word(), watched({{acquire(), acquire()}}));
    walk.steps(0, 2);
    expect(walk.steps(0, 2), 1, 1);
}

TEST_F(WorldMonitor, looks_at_the_key_of_the_call_only) {
    Walk walk(shared_word(), watched({{acquire()}, {acquire(1, 1, 1), release(1, 1, 1)}}));
    walk.steps(1, 2);
    walk.step(0);
    walk.step(1);
    expect(walk.step(0), 0, 0);
}

TEST_F(WorldMonitor, begins_anew_with_each_try) {
    Walk walk(TestAndSet{}, watched({{insist()}, {acquire(), release()}}));
    walk.steps(1, 2);
    const Event refused = walk.step(0);
    EXPECT_TRUE(refused.is(kRefused));
    EXPECT_EQ(refused.certain_least, 1U);
    EXPECT_EQ(refused.possible_most, 1U);
    walk.steps(1, 2);
    expect(walk.steps(0, 2), 0, 0);
}

TEST_F(WorldMonitor, is_left_out_unless_it_is_asked_for) {
    WorldConfig config = watched({{acquire()}, {acquire()}});
    config.watches_others = false;
    Walk walk(shared_word(), config);
    walk.steps(1, 2);
    expect(walk.steps(0, 2), 0, 0);
}

}  // namespace
}  // namespace lockkeeper
