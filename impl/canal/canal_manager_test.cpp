// SPDX-License-Identifier: Apache-2.0

// The manager's mailbox: which messages it can handle next, and what each does. max_per is 2.
#include "impl/canal/canal_manager.hpp"

#include <gtest/gtest.h>

#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;

// A holds so many locks of a warm bucket; the manager knows of all.
TinyWalk holding(int locks, std::vector<Operation> afterwards, const Scripts& others = {},
                 const CanalOptions& options = with_table({0})) {
    std::vector<Operation> script(static_cast<std::size_t>(locks), acquire(2, 1));
    script.insert(script.end(), afterwards.begin(), afterwards.end());
    Scripts scripts{script};
    scripts.insert(scripts.end(), others.begin(), others.end());
    TinyWalk walk = tiny(options, scripts, 4);
    for (int i = 0; i < locks; ++i) {
        walk.call();
    }
    walk.drain();
    return walk;
}

// --- lock and unlock
// ---------------------------------------------------------------------------------

TEST(CanalManager, adds_a_reference_for_each_lock) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1), acquire(2, 1)}});
    walk.call();
    EXPECT_EQ(references(walk), 0U);
    walk.drain();
    EXPECT_EQ(references(walk), 1U);
    walk.call();
    walk.drain();
    EXPECT_EQ(references(walk), 2U);
    EXPECT_EQ(walk.enabled(), "");
}

TEST(CanalManager, removes_any_one_reference_at_unlock) {
    TinyWalk walk = holding(2, {release(2, 1)});
    walk.steps(0, 3);
    const Event event = walk.apply("b0.2");
    EXPECT_EQ(event.what, 0U);
    EXPECT_EQ(event.caller, 0);
    EXPECT_EQ(references(walk), 1U);
    EXPECT_TRUE(walk.step().is(kReleased));
}

TEST(CanalManager, replies_to_an_unexpected_unlock_and_says_so) {
    TinyWalk walk = tiny(with_table({1}), {{release_unchecked(2, 1)}});
    walk.steps(0, 3);
    EXPECT_EQ(walk.apply("b0.2").what, kForeignRelease);
    EXPECT_TRUE(walk.step().is(kReleased));
    EXPECT_EQ(references(walk), 0U);
}

TEST(CanalManager, removes_references_of_the_key_that_is_unlocked) {
    WorldConfig config = world_of(
        {{acquire(2, 1, 0), acquire(2, 1, 2), release(2, 1, 2), release_unchecked(2, 1, 1)}});
    config.keys = {"a", "b", "c"};
    CanalOptions options = with_table({0});
    options.keys = config.keys;
    options.tables = {{{0}, 1}, {{0}, 1}, {{0}, 1}};
    KeysWalk walk(canal::CanalLock<canal::KeysSize>(options), config);
    walk.call();
    walk.call();
    walk.drain();
    walk.call();
    EXPECT_EQ(walk.seen().callers[0].references[0], 1U);
    EXPECT_EQ(walk.seen().callers[0].references[2], 0U);
    walk.call();
    EXPECT_TRUE(walk.last_background().is(kForeignRelease)) << "none of key b";
    EXPECT_EQ(walk.last_background().key, 1);
    EXPECT_EQ(walk.seen().callers[0].references[0], 1U);
}

// Invariant 1 of canal_lock.hpp.
TEST(CanalManager, handles_the_messages_of_one_sender_in_order) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1), acquire(2, 1), release(2, 1)}});
    walk.call();
    walk.call();
    walk.steps(0, 3);
    EXPECT_EQ(walk.enabled(), "b0.1") << "lock";
    walk.apply("b0.1");
    EXPECT_EQ(walk.enabled(), "b0.1") << "lock";
    walk.apply("b0.1");
    EXPECT_EQ(walk.enabled(), "b0.2") << "unlock";
}

TEST(CanalManager, handles_the_messages_of_different_senders_in_any_order) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1)}, {acquire(2, 1)}});
    walk.call(0);
    walk.call(1);
    EXPECT_EQ(walk.enabled(), "b0.1,b1.1");
    walk.apply("b1.1");
    EXPECT_EQ(references(walk, 1), 1U);
    EXPECT_EQ(walk.enabled(), "b0.1");
}

// --- DOWN
// --------------------------------------------------------------------------------------------

TEST(CanalDown, frees_a_lock_by_steps_5_to_9_during_which_callers_go_on) {
    TinyWalk walk = holding(1, {exit_process()}, {{acquire(2, 1)}}, with_table({0, 0}));
    walk.step();
    EXPECT_EQ(walk.next_background(), "manager: DOWN of A, db");
    walk.apply("b0.4");
    EXPECT_EQ(references(walk), 0U);
    EXPECT_EQ(table(walk), "[1,0] highest 2");
    std::string told;
    while (walk.next_background() != "nothing") {
        EXPECT_TRUE(walk.can(step_of(1)));
        EXPECT_FALSE(walk.seen().quiescent);
        told += walk.next_background() + "\n";
        walk.step_background();
        told += table(walk) + "\n";
    }
    EXPECT_EQ(told,
              "manager: read highest db\n[1,0] highest 2\n"
              "manager: subtract db[2]\n[1,-1] highest 2\n"
              "manager: undo db[2]\n[1,0] highest 2\n"
              "manager: subtract db[1]\n[0,0] highest 2\n");
    EXPECT_EQ(walk.last_background().what, kGaveUnitBack);
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(CanalDown, subtracts_the_mark_and_forces_with_the_managers_own_max_per) {
    TinyWalk walk = holding(2, {}, {{acquire(2, 1)}}, trying(with_table({0}), 1));
    EXPECT_TRUE(walk.call(1).is(kRefused));
    EXPECT_EQ(table(walk), "[3] highest 1");
    walk.crash();
    std::string told;
    while (walk.next_background() != "nothing") {
        told += walk.next_background() + "\n";
        walk.step_background();
        told += table(walk) + "\n";
    }
    EXPECT_EQ(told.substr(0, told.find("manager: DOWN", 1)),
              "manager: DOWN of A, db\n[3] highest 1\n"
              "manager: read highest db\n[3] highest 1\n"
              "manager: subtract db[1]\n[2] highest 1\n"
              "manager: subtract mark db[1]\n[1] highest 1\n");
    EXPECT_EQ(table(walk), "[0] highest 1") << "one DOWN for each reference";
}

TEST(CanalDown, comes_for_every_reference) {
    TinyWalk walk = holding(2, {});
    walk.crash();
    walk.drain();
    EXPECT_EQ(table(walk), "[0] highest 1");
    EXPECT_EQ(references(walk), 0U);
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(CanalDown, follows_the_messages_that_the_caller_sent_before_it_died) {
    TinyWalk walk = holding(1, {release(2, 1)});
    walk.steps(0, 3);
    walk.crash();
    EXPECT_EQ(walk.enabled(), "b0.2");
    walk.drain();
    EXPECT_EQ(table(walk), "[0] highest 1") << "given back once, by the caller";
    EXPECT_EQ(references(walk), 0U);
}

TEST(CanalDown, of_a_reference_that_is_added_after_the_death_frees_it_too) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1)}}, 1);
    walk.call();
    walk.crash();
    EXPECT_EQ(walk.next_background(), "manager: lock db of A");
    walk.step_background();
    EXPECT_EQ(references(walk), 1U);
    EXPECT_EQ(walk.next_background(), "manager: DOWN of A, db");
    walk.drain();
    EXPECT_EQ(table(walk), "[0] highest 1");
}

// Two notifications and an unlock are on their way when A dies. The references are added after the
// death, and yet their DOWN comes last: it is a signal of A itself.
TEST(CanalDown, of_a_late_reference_comes_after_the_rest_of_the_messages) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1), acquire(2, 1), release(2, 1)}}, 1);
    walk.call();
    walk.call();
    walk.steps(0, 3);
    walk.crash();
    for (const char* only : {"b0.1", "b0.1", "b0.2"}) {
        EXPECT_EQ(walk.enabled(), only);
        EXPECT_EQ(walk.apply(only).what, 0U) << "no foreign release";
    }
    EXPECT_EQ(references(walk), 1U);
    EXPECT_EQ(walk.enabled(), "b0.4");
    walk.drain();
    EXPECT_EQ(table(walk), "[0] highest 1") << "one given back by the caller, one by the manager";
}

TEST(CanalDown, of_a_caller_that_dies_inside_release_frees_its_lock_a_second_time) {
    TinyWalk walk = holding(1, {release(2, 1)}, {{acquire(2, 1)}});
    walk.call(1);
    walk.steps(0, 2);
    EXPECT_EQ(table(walk), "[1] highest 1");
    walk.crash(0);
    walk.drain();
    EXPECT_EQ(walk.show(), "db [0] highest 1  held by B") << "faithful: B's unit is given back";
}

TEST(CanalDown, is_not_sent_for_a_unit_of_which_the_manager_was_not_told) {
    TinyWalk walk = tiny(with_table({0}), {{acquire(2, 1)}}, 1);
    walk.step();
    walk.crash();
    EXPECT_EQ(walk.enabled(), "");
    EXPECT_EQ(table(walk), "[1] highest 1") << "faithful: leaked";
}

// --- the manager's death
// -----------------------------------------------------------------------------

// B and C are in the middle of something when the manager finds `highest` absent and dies.
TinyWalk about_to_die(const Scripts& others) {
    TinyWalk walk = holding(1, {exit_process()}, others, without_highest(with_table({0})));
    walk.step();
    walk.apply("b0.4");
    EXPECT_EQ(walk.next_background(), "manager: read highest db");
    return walk;
}

// Invariant 3 of canal_lock.hpp.
TEST(CanalManagerDeath, comes_of_an_absent_highest_and_takes_the_tables_along) {
    TinyWalk walk = about_to_die({});
    const Event event = walk.apply("b0.0");
    EXPECT_EQ(event.what, kServersDied);
    EXPECT_TRUE(walk.seen().servers_gone);
    EXPECT_TRUE(walk.counters().empty());
    EXPECT_EQ(walk.show(), "manager dead, tables gone  nobody holds");
    EXPECT_EQ(walk.enabled(), "");
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(CanalManagerDeath, comes_of_a_counter_for_which_its_max_per_has_no_rule) {
    CanalOptions options = with_table({3}, 5);
    options.manager_max_per = 2;
    TinyWalk walk = tiny(options, {{acquire(5, 1)}}, 1);
    walk.call();
    walk.crash();
    walk.drain();
    EXPECT_TRUE(walk.last_background().is(kServersDied));
}

TEST(CanalManagerDeath, kills_every_later_call_with_its_first_step) {
    TinyWalk walk = about_to_die({{acquire(2, 1)}, {release_unchecked(2, 1)}});
    walk.apply("b0.0");
    EXPECT_TRUE(walk.step(1).is(kCallerDied));
    EXPECT_TRUE(walk.step(2).is(kCallerDied));
}

TEST(CanalManagerDeath, kills_callers_inside_acquire_and_release_with_their_next_step) {
    TinyWalk walk = about_to_die({{acquire(2, 2)}, {acquire(2, 1), release(2, 1)}});
    walk.call(2);
    EXPECT_EQ(walk.step(1).value, 3);
    EXPECT_EQ(walk.next(1), "B acquire: update_counter db[2]");
    walk.apply("b0.0");
    EXPECT_TRUE(walk.step(1).is(kCallerDied));
    EXPECT_EQ(walk.believed(), 1U) << "C believes to hold ...";
    EXPECT_TRUE(walk.step(2).is(kCallerDied)) << "... until it releases";
}

TEST(CanalManagerDeath, kills_a_caller_that_waits_for_the_reply) {
    Scripts others{{release_unchecked(2, 1)}};
    CanalOptions options = with_table({0});
    TinyWalk walk = holding(1, {exit_process()}, others, options);
    walk.steps(1, 3);
    EXPECT_FALSE(walk.can(step_of(1)));
    walk.step(0);
    walk.apply("b0.4");
    walk.state().shared.rows[0].highest = canal::Table<canal::TinySize>::kAbsent;
    walk.apply("b0.0");
    EXPECT_EQ(walk.next(1), "B release: notice that the manager is dead");
    EXPECT_TRUE(walk.step(1).is(kCallerDied));
}

TEST(CanalManagerDeath, does_not_take_back_a_reply_that_was_sent) {
    TinyWalk walk = holding(1, {exit_process()}, {{release_unchecked(2, 1)}});
    walk.steps(1, 3);
    walk.apply("b1.2");
    walk.step(0);
    walk.apply("b0.4");
    walk.state().shared.rows[0].highest = canal::Table<canal::TinySize>::kAbsent;
    walk.apply("b0.0");
    EXPECT_TRUE(walk.step(1).is(kReleased));
}

TEST(CanalManagerDeath, lets_a_caller_send_a_message_that_reaches_nobody) {
    TinyWalk walk = about_to_die({{acquire(2, 1)}});
    walk.step(1);
    walk.apply("b0.0");
    EXPECT_EQ(walk.next(1), "B acquire: notify db");
    EXPECT_TRUE(walk.step(1).is(kAcquired)) << "a send never fails";
    EXPECT_EQ(walk.enabled(), "x1");
}

TEST(CanalManagerDeath, leaves_nothing_of_the_dead_to_be_freed) {
    TinyWalk walk = about_to_die({});
    const auto pending = [&] {
        const canal::CanalLock<canal::TinySize> lock(with_table({0}));
        const auto& state = walk.state();
        return lock.pending_cleanup(state.shared,
                                    {&state.slots[0].record, sizeof(state.slots[0]), 1}, 0);
    };
    EXPECT_EQ(pending(), 1U);
    walk.apply("b0.0");
    EXPECT_EQ(pending(), 0U);
}

}  // namespace
}  // namespace lockkeeper
