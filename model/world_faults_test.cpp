// SPDX-License-Identifier: Apache-2.0

// Crashes and exits: who can, how often, and what is gone after them.
#include <gtest/gtest.h>

#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_model;

WorldConfig with_crashes(WorldConfig config, std::uint8_t crashes_max) {
    config.crashes_max = crashes_max;
    return config;
}

TEST(WorldExit, ends_the_process_with_all_that_it_holds) {
    Walk walk(TestAndSet{}, world_of({{acquire(), exit_process(), acquire()}}));
    walk.steps(0, 2);
    const Event event = walk.step();
    EXPECT_EQ(event.what, kInvoked | kCrashed);
    EXPECT_EQ(event.invoked, Verb::kExit);
    EXPECT_EQ(event.caller, 0);
    EXPECT_TRUE(walk.seen().callers[0].dead);
    EXPECT_EQ(walk.show(), "taken  nobody holds") << "without a manager the lock stays taken";
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldExit, costs_nothing_of_the_crash_budget) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{exit_process()}, {acquire()}}), 1));
    walk.step(0);
    EXPECT_EQ(walk.enabled(), "s1,x1");
}

TEST(WorldCrash, is_offered_as_often_as_the_budget_allows) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{acquire()}, {acquire()}, {acquire()}}), 2));
    EXPECT_EQ(walk.enabled(), "s0,s1,s2,x0,x1,x2");
    walk.crash(1);
    EXPECT_EQ(walk.enabled(), "s0,s2,x0,x2") << "a dead caller neither steps nor crashes";
    walk.crash(0);
    EXPECT_EQ(walk.enabled(), "s2");
}

TEST(WorldCrash, is_not_offered_without_a_budget_or_to_a_caller_that_may_not) {
    WorldConfig config = world_of({{acquire()}, {acquire()}});
    EXPECT_EQ(Walk(TestAndSet{}, config).enabled(), "s0,s1");
    config.crashes_max = 1;
    config.callers[0].may_crash = false;
    EXPECT_EQ(Walk(TestAndSet{}, config).enabled(), "s0,s1,x1");
}

TEST(WorldCrash, happens_inside_a_call_too_and_forgets_where_it_was) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{acquire()}}), 1));
    walk.step();
    const Event event = walk.crash();
    EXPECT_EQ(event.what, kCrashed);
    EXPECT_EQ(event.caller, 0);
    EXPECT_FALSE(walk.seen().callers[0].calling);
    EXPECT_TRUE(walk.seen().quiescent);
    EXPECT_EQ(walk.show(), "taken  nobody holds");
}

TEST(WorldCrash, of_a_retrying_caller_ends_the_retries) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{acquire()}, {insist()}}), 1));
    walk.steps(0, 2);
    walk.step(1);
    walk.crash(1);
    EXPECT_EQ(walk.enabled(), "");
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(WorldCrash, of_a_finished_caller_that_left_nothing_behind_is_not_offered) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{acquire(), release()}}), 1));
    walk.steps(0, 3);
    EXPECT_EQ(walk.enabled(), "s0,x0");
    walk.step();
    EXPECT_EQ(walk.enabled(), "");
}

TEST(WorldCrash, of_a_finished_caller_that_holds_is_offered) {
    Walk walk(TestAndSet{}, with_crashes(world_of({{acquire()}}), 1));
    walk.steps(0, 2);
    EXPECT_TRUE(walk.world().finished(walk.state()));
    EXPECT_EQ(walk.enabled(), "x0");
}

TEST(WorldCrash, of_a_finished_caller_that_left_a_record_is_offered) {
    TestAndSet lock;
    lock.posts_letters = true;
    Walk walk(lock, with_crashes(world_of({{acquire(), release()}}), 1));
    walk.steps(0, 4);
    EXPECT_EQ(walk.enabled(), "b0.7,x0");
    Walk crashed = walk;
    crashed.crash();
    EXPECT_EQ(crashed.enabled(), "b0.7") << "what the servers keep outlives the caller";
    walk.drain();
    EXPECT_EQ(walk.enabled(), "");
}

struct Restartable : TestAndSet {
    static constexpr Traits kTraits{.restarts = true};
    [[nodiscard]] bool can_restart(const Shared&, const Record& record) const {
        return record.unused == 0;  // while the dead one's letter is under way it may not
    }
    void on_restart(Shared&, Record&) const {}
};
static_assert(Implementation<Restartable>);

WorldConfig with_restarts(WorldConfig config, std::uint8_t crashes, std::uint8_t restarts) {
    config.crashes_max = crashes;
    config.restarts_max = restarts;
    return config;
}

TEST(WorldRestart, runs_the_script_of_a_dead_caller_again_from_the_start_without_its_locks) {
    Walk walk(Restartable{}, with_restarts(world_of({{acquire(), release()}}), 1, 1));
    walk.steps(0, 2);
    EXPECT_EQ(walk.enabled(), "s0,x0") << "only who is dead starts again";
    walk.crash();
    EXPECT_EQ(walk.enabled(), "d0.65535");
    const Event event = walk.apply("d0.65535");
    EXPECT_TRUE(event.is(kWentWrong));
    EXPECT_FALSE(walk.seen().callers[0].dead);
    EXPECT_EQ(walk.believed(), 0U);
    EXPECT_EQ(walk.show(), "taken  nobody holds") << "what the server has of the dead one stays";
    EXPECT_EQ(walk.enabled(), "s0");
    EXPECT_TRUE(walk.step().is(kRefused)) << "by the lock of its own earlier life";
}

TEST(WorldRestart, happens_as_often_as_its_budget_allows) {
    Walk walk(Restartable{},
              with_restarts(world_of({{acquire(), exit_process()}, {acquire()}}), 1, 2));
    walk.steps(0, 3);
    EXPECT_EQ(walk.enabled(), "s1,x1,d0.65535") << "an exit is a death, too";
    walk.apply("d0.65535");
    walk.crash(1);
    EXPECT_EQ(walk.enabled(), "s0,d1.65535");
    walk.apply("d1.65535");
    walk.step(0);
    walk.step(0);
    EXPECT_EQ(walk.enabled(), "s1") << "the budget is spent";
}

TEST(WorldRestart, waits_until_the_lock_allows_for_it) {
    Restartable lock;
    lock.posts_letters = true;
    Walk walk(lock, with_restarts(world_of({{acquire(), release()}}), 1, 1));
    walk.steps(0, 4);
    walk.crash();
    EXPECT_EQ(walk.enabled(), "b0.7");
    walk.drain();
    EXPECT_EQ(walk.enabled(), "d0.65535");
}

TEST(WorldRestart, is_not_offered_without_a_budget_nor_by_a_lock_that_knows_none) {
    Walk without(Restartable{}, with_restarts(world_of({{acquire()}}), 1, 0));
    without.crash();
    EXPECT_EQ(without.enabled(), "");
    Walk unknown(TestAndSet{}, with_restarts(world_of({{acquire()}}), 1, 1));
    unknown.crash();
    EXPECT_EQ(unknown.enabled(), "");
}

TEST(WorldRestart, keeps_searches_from_learning_steps_that_would_leave_it_out) {
    const WorldConfig config = world_of({{acquire()}});
    EXPECT_TRUE(World<TestAndSet>(TestAndSet{}, config).has_local_steps());
    EXPECT_FALSE(World<Restartable>(Restartable{}, config).has_local_steps());
}

TEST(WorldLimit, of_what_one_caller_holds_is_said_and_not_wrapped_around) {
    TestAndSet lock;
    lock.ignores_owners = true;
    WorldConfig config = world_of({{acquire()}});
    config.callers[0].repeats_forever = true;
    Walk walk(lock, config);
    walk.steps(0, 2 * 255);
    EXPECT_EQ(walk.believed(), 255U);
    walk.step();
    EXPECT_THROW(walk.step(), LimitExceeded);
}

TEST(WorldLimit, of_the_compiled_size_is_checked_when_the_world_is_made) {
    const WorldConfig four = world_of({{}, {}, {}, {}});
    EXPECT_THROW(World<TestAndSet>(TestAndSet{}, four), InternalError);
    WorldConfig three_keys = world_of({{}});
    three_keys.keys = {"a", "b", "c"};
    EXPECT_THROW(World<TestAndSet>(TestAndSet{}, three_keys), InternalError);
    WorldConfig long_script = world_of({std::vector<Operation>(256)});
    EXPECT_THROW(World<TestAndSet>(TestAndSet{}, long_script), InternalError);
}

}  // namespace
}  // namespace lockkeeper
