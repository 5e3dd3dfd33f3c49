// SPDX-License-Identifier: Apache-2.0

// How World turns an implementation and scripts into atomic steps: calls, returns, belief. Faults,
// resizes and the bytes of states: world_faults_test.cpp, world_resize_test.cpp,
// world_bytes_test.cpp.
#include "model/world.hpp"

#include <gtest/gtest.h>

#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;
using TestWorld = World<TestAndSet>;
static_assert(PlainState<TestWorld::State>);
static_assert(System<TestWorld> && kHintsOf<TestWorld>.symmetry);

// The post office makes a background step possible.
TestAndSet with_letters() {
    TestAndSet lock;
    lock.posts_letters = true;
    return lock;
}
TestAndSet waiting() {
    TestAndSet lock;
    lock.waits = true;
    return lock;
}

TEST(WorldEnabled, is_steps_then_background_then_crashes_then_the_resize) {
    WorldConfig config = world_of(
        {{acquire(), release(), acquire()}, {acquire(), release(), acquire()}, {acquire()}});
    config.crashes_max = 1;
    config.views = {1, 2};
    Walk walk(with_letters(), config);
    EXPECT_EQ(walk.enabled(), "s0,s1,s2,x0,x1,x2,r");
    walk.steps(1, 4);
    walk.steps(0, 4);
    EXPECT_EQ(walk.enabled(), "s0,s1,s2,b0.7,b1.7,x0,x1,x2,r");
    walk.apply("b0.7");
    EXPECT_EQ(walk.enabled(), "s0,s1,s2,b1.7,x0,x1,x2,r");
}

TEST(WorldCall, and_its_first_step_are_one_transition) {
    Walk walk(TestAndSet{}, world_of({{acquire(), release()}}));
    EXPECT_EQ(walk.show(), "free  nobody holds");
    Event event = walk.step();
    EXPECT_TRUE(event.is(kInvoked));
    EXPECT_EQ(event.invoked, Verb::kAcquire);
    EXPECT_EQ(walk.show(), "taken  nobody holds");
    EXPECT_FALSE(walk.step().is(kInvoked));
    event = walk.step();
    EXPECT_TRUE(event.is(kInvoked));
    EXPECT_EQ(event.invoked, Verb::kRelease);
    EXPECT_FALSE(walk.step().is(kInvoked));
}

TEST(WorldCall, shows_the_view_of_its_caller_in_every_step) {
    Walk walk(TestAndSet{}, world_of({{acquire(3, 2, 0)}}));
    for (int i = 0; i < 2; ++i) {
        const Event event = walk.step();
        EXPECT_EQ(event.caller, 0);
        EXPECT_EQ(event.capacity, 6U);
        EXPECT_EQ(event.place_capacity, 3U);
    }
}

TEST(WorldBelief, begins_at_the_return_and_not_when_the_lock_is_granted) {
    Walk walk(TestAndSet{}, world_of({{acquire()}}));
    Event event = walk.step();
    EXPECT_TRUE(event.is(kGranted));
    EXPECT_EQ(event.holding_before, 0U);
    EXPECT_EQ(walk.believed(), 0U);
    event = walk.step();
    EXPECT_TRUE(event.is(kAcquired));
    EXPECT_FALSE(event.is(kGranted));
    EXPECT_EQ(walk.believed(), 1U);
    EXPECT_EQ(walk.seen().callers[0].believed[0], 1U);
}

TEST(WorldBelief, ends_with_the_call_of_release) {
    Walk walk(TestAndSet{}, world_of({{acquire(), release()}}));
    walk.steps(0, 3);
    EXPECT_EQ(walk.show(), "taken  nobody holds");
    const Event event = walk.step();
    EXPECT_TRUE(event.is(kReleased));
    EXPECT_EQ(walk.show(), "free  nobody holds");
}

TEST(WorldGrant, counts_those_who_hold_and_those_who_were_granted_before) {
    TestAndSet lock;
    lock.ignores_owners = true;
    Walk walk(lock, world_of({{acquire()}, {acquire()}, {acquire()}}));
    walk.steps(0, 2);
    walk.step(1);
    EXPECT_EQ(walk.step(2).holding_before, 2U);
    EXPECT_EQ(walk.believed(), 1U);
}

TEST(WorldGrant, of_another_key_is_not_counted) {
    Walk walk(TestAndSet{}, [] {
        WorldConfig config = world_of({{acquire(1, 1, 1)}, {acquire()}});
        config.keys = {"db", "cache"};
        return config;
    }());
    walk.step(0);
    EXPECT_EQ(walk.step(1).holding_before, 0U);
}

TEST(WorldScript, passes_over_a_release_of_nothing) {
    Walk walk(TestAndSet{}, world_of({{release(), acquire(), release(), release()}}));
    EXPECT_EQ(walk.next(), "A acquire: test and set");
    walk.steps(0, 4);
    EXPECT_TRUE(walk.seen().callers[0].finished);
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldScript, passes_over_a_release_of_a_key_that_is_not_held) {
    WorldConfig config = world_of({{acquire(1, 1, 0), release(1, 1, 1), release(1, 1, 0)}});
    config.keys = {"db", "cache"};
    Walk walk(TestAndSet{}, config);
    walk.steps(0, 2);
    EXPECT_EQ(walk.step().key, 0);
}

TEST(WorldScript, of_releases_of_nothing_is_finished_before_it_begins) {
    Walk walk(TestAndSet{}, world_of({{release(), release()}, {}}));
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldScript, of_releases_of_nothing_is_finished_even_if_it_repeats_forever) {
    WorldConfig config = world_of({{release()}, {}});
    config.callers[0].repeats_forever = true;
    config.callers[1].repeats_forever = true;
    EXPECT_TRUE(Walk(TestAndSet{}, config).seen().callers[0].finished);
    EXPECT_TRUE(Walk(TestAndSet{}, config).seen().callers[1].finished);
}

TEST(WorldScript, calls_an_unchecked_release_although_nothing_is_held) {
    Walk walk(TestAndSet{}, world_of({{release_unchecked()}, {acquire()}}));
    walk.steps(1, 2);
    walk.steps(0, 2);
    EXPECT_EQ(walk.show(), "free  held by B");
}

TEST(WorldCaller, dies_of_its_own_error_and_is_not_called_crashed) {
    Walk walk(TestAndSet{}, world_of({{release_unchecked(), acquire()}}));
    const Event event = walk.step();
    EXPECT_TRUE(event.is(kCallerDied));
    EXPECT_FALSE(event.is(kCrashed));
    EXPECT_TRUE(walk.seen().callers[0].dead);
    EXPECT_TRUE(walk.seen().callers[0].finished);
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldRefusal, ends_a_plain_acquire) {
    Walk walk(TestAndSet{}, world_of({{acquire()}, {acquire()}}));
    walk.steps(0, 2);
    EXPECT_TRUE(walk.step(1).is(kRefused));
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_EQ(walk.believed(), 1U);
}

TEST(WorldRefusal, is_followed_by_another_call_until_the_lock_is_acquired) {
    Walk walk(TestAndSet{}, world_of({{acquire(), release()}, {insist()}}));
    walk.steps(0, 2);
    for (int i = 0; i < 3; ++i) {
        const Event event = walk.step(1);
        EXPECT_TRUE(event.is(kRefused) && event.is(kInvoked));
        EXPECT_TRUE(walk.seen().callers[1].calling);
        EXPECT_FALSE(walk.seen().quiescent);
    }
    walk.steps(0, 2);
    EXPECT_TRUE(walk.steps(1, 2).is(kAcquired));
    EXPECT_TRUE(walk.world().finished(walk.state()));
}

TEST(WorldBlocked, caller_has_no_step_until_the_implementation_says_so) {
    Walk walk(waiting(), world_of({{acquire(), release()}, {acquire()}}));
    walk.step(0);
    EXPECT_EQ(walk.enabled(), "s0") << "asked before the first step of a call, too";
    walk.steps(0, 3);
    EXPECT_EQ(walk.enabled(), "s1");
    EXPECT_TRUE(walk.steps(1, 2).is(kAcquired));
}

TEST(WorldBlocked, for_ever_is_a_deadlock) {
    WorldConfig config = world_of({{acquire()}, {acquire()}});
    config.crashes_max = 1;
    Walk walk(waiting(), config);
    walk.steps(0, 2);
    EXPECT_EQ(walk.enabled(), "x0,x1");
    ActionList list;
    walk.world().enabled(walk.state(), list);
    EXPECT_TRUE(only_faults(list));
    EXPECT_FALSE(walk.world().finished(walk.state()));
}

TEST(WorldQuiescent, means_no_call_and_nothing_in_the_background) {
    Walk walk(with_letters(), world_of({{acquire(), release()}}));
    const auto rests = [&] { return walk.world().quiescent(walk.state()); };
    EXPECT_TRUE(rests());
    walk.step();
    EXPECT_FALSE(rests()) << "inside acquire";
    walk.step();
    EXPECT_TRUE(rests()) << "holding";
    walk.steps(0, 2);
    EXPECT_FALSE(rests()) << "a letter is on its way";
    EXPECT_TRUE(walk.world().finished(walk.state()));
    walk.drain();
    EXPECT_TRUE(rests());
}

TEST(WorldWords, name_the_caller_the_verb_and_the_step) {
    WorldConfig config = world_of({{acquire(), release(), exit_process()}});
    config.crashes_max = 1;
    config.views = {1, 3};
    Walk walk(with_letters(), config);
    EXPECT_EQ(walk.next(), "A acquire: test and set");
    walk.step();
    EXPECT_EQ(walk.next(), "A acquire: return");
    walk.step();
    EXPECT_EQ(walk.next(), "A release: look");
    EXPECT_EQ(walk.show(), "taken  held by A");
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(), "A exits");
    EXPECT_EQ(walk.next_background(), "post office: letter of A");
    EXPECT_EQ(walk.world().describe(walk.state(), crash_of(0)), "A crashes");
    EXPECT_EQ(walk.world().describe(walk.state(), {0, ActionKind::kResize, 0}),
              "resize to 3 buckets");
}

TEST(WorldWords, say_how_many_locks_of_which_key_are_held) {
    TestAndSet lock;
    lock.ignores_owners = true;
    WorldConfig config = world_of({{acquire(1, 1, 0), acquire(1, 1, 0)}, {acquire(1, 1, 1)}});
    config.keys = {"db", "cache"};
    Walk walk(lock, config);
    walk.steps(0, 4);
    walk.steps(1, 2);
    EXPECT_EQ(walk.show(), "taken  held by A db x2, B cache");
}

}  // namespace
}  // namespace lockkeeper
