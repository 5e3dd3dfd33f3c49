// SPDX-License-Identifier: Apache-2.0

// Tests the additions of canal_mailbox.hpp to the canal lock: releases without a reply, how many
// messages wait, a manager that is started again. max_per is 2.
#include "impl/canal/canal_mailbox.hpp"

#include <gtest/gtest.h>

#include "impl/canal/canal_walk_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_canal;
using canal::CanalMailbox;
using canal::MailboxOptions;
using MailboxWalk = Walk<CanalMailbox>;

MailboxOptions asynchronous(bool is = true) {
    MailboxOptions options;
    options.canal = with_table({0});
    options.canal.asynchronous_release = is;
    return options;
}
MailboxOptions at_most(std::int32_t waiting, bool is_asynchronous = true) {
    MailboxOptions options = asynchronous(is_asynchronous);
    options.waiting_at_most = waiting;
    return options;
}
MailboxOptions supervised(std::uint8_t kills, std::uint8_t restarts) {
    MailboxOptions options = asynchronous(false);
    options.manager_kills = kills;
    options.restarts = restarts;
    return options;
}

MailboxWalk mailbox_walk(const MailboxOptions& options, const Scripts& scripts,
                         std::uint8_t crashes_max = 0) {
    WorldConfig config = world_of(scripts);
    config.crashes_max = crashes_max;
    return {CanalMailbox(options), config};
}
std::vector<Operation> rounds(int times) {
    std::vector<Operation> script;
    for (int i = 0; i < times; ++i) {
        script.push_back(acquire(2, 1));
        script.push_back(release(2, 1));
    }
    return script;
}
std::uint32_t known(const MailboxWalk& walk, std::size_t caller = 0) {
    return walk.seen().callers[caller].references[0];
}

constexpr const char* kKill = "d0.6";
constexpr const char* kRestarted = "b0.5";

// --- asynchronous release
// ----------------------------------------------------------------------------

TEST(CanalMailbox, of_an_asynchronous_release_returns_with_the_step_that_sends) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(2)});
    walk.steps(0, 2);
    walk.steps(0, 2);
    EXPECT_EQ(walk.next(0), "A release: send unlock db");
    EXPECT_TRUE(walk.step().is(kReleased));
    EXPECT_TRUE(walk.can(step_of(0))) << "it takes the next lock at once";
}

TEST(CanalMailbox, of_a_synchronous_release_returns_with_the_reply) {
    MailboxWalk walk = mailbox_walk(asynchronous(false), {rounds(2)});
    walk.steps(0, 4);
    EXPECT_FALSE(walk.step().is(kReleased));
    EXPECT_FALSE(walk.can(step_of(0)));
    walk.drain();
    EXPECT_TRUE(walk.step().is(kReleased));
}

TEST(CanalMailbox, is_handled_in_the_order_in_which_it_was_filled) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(2)});
    walk.steps(0, 10);
    for (const char* only : {"b0.1", "b0.2", "b0.1", "b0.2"}) {
        EXPECT_EQ(walk.enabled(), only);
        EXPECT_EQ(walk.apply(only).what, 0U) << "no unexpected unlock";
    }
    EXPECT_EQ(known(walk), 0U);
    EXPECT_TRUE(walk.seen().quiescent);
}

TEST(CanalMailbox, gives_no_reply_to_who_does_not_wait_for_one) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(1)});
    walk.steps(0, 5);
    walk.drain();
    EXPECT_EQ(walk.enabled(), "") << "no reply that nobody receives";
}

TEST(CanalMailbox, has_the_down_behind_all_that_the_dead_caller_sent) {
    std::vector<Operation> script = rounds(1);
    script.push_back(acquire(2, 1));
    MailboxWalk walk = mailbox_walk(asynchronous(), {script}, 1);
    walk.steps(0, 7);
    EXPECT_EQ(walk.show(), "db [1] highest 1  held by A");
    walk.crash();
    for (const char* only : {"b0.1", "b0.2", "b0.1", "b0.4"}) {
        EXPECT_EQ(walk.enabled(), only);
        walk.apply(only);
    }
    walk.drain();
    EXPECT_EQ(walk.show(), "db [0] highest 1  nobody holds");
}

TEST(CanalMailbox, owes_for_the_dead_what_is_left_when_all_is_handled) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(2)}, 1);
    walk.steps(0, 5);
    walk.steps(0, 2);
    walk.crash();
    const CanalMailbox lock(asynchronous());
    const auto& state = walk.state();
    EXPECT_EQ(
        lock.pending_cleanup(state.shared, {&state.slots[0].record, sizeof(state.slots[0]), 1}, 0),
        1U)
        << "lock, unlock, lock";
}

// --- how many messages wait
// --------------------------------------------------------------------------

TEST(CanalMailbox, is_too_long_with_the_message_beyond_the_bound) {
    MailboxWalk walk = mailbox_walk(at_most(2), {rounds(2)});
    EXPECT_FALSE(walk.steps(0, 2).is(Breach::kWaitsLong)) << "lock";
    EXPECT_FALSE(walk.steps(0, 3).is(Breach::kWaitsLong)) << "unlock";
    EXPECT_TRUE(walk.steps(0, 2).is(Breach::kWaitsLong)) << "lock";
    EXPECT_FALSE(walk.apply("b0.1").is(Breach::kWaitsLong)) << "one of them is handled";
}

TEST(CanalMailbox, is_that_of_all_callers) {
    MailboxWalk walk = mailbox_walk(at_most(1), {rounds(1), rounds(1)});
    EXPECT_FALSE(walk.steps(0, 2).is(Breach::kWaitsLong));
    EXPECT_TRUE(walk.steps(1, 2).is(Breach::kWaitsLong));
}

TEST(CanalMailbox, has_a_down_for_each_lock_of_a_caller_that_dies) {
    MailboxWalk walk = mailbox_walk(at_most(1), {{acquire(2, 1), acquire(2, 1)}}, 1);
    walk.call();
    walk.drain();
    walk.call();
    walk.drain();
    EXPECT_TRUE(walk.crash().is(Breach::kWaitsLong));
}

TEST(CanalMailbox, is_not_judged_without_a_bound) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(2)});
    EXPECT_EQ(walk.steps(0, 10).breaches, 0U);
    EXPECT_EQ(CanalMailbox(asynchronous()).features() & kBoundsWaiting, 0U);
    EXPECT_EQ(CanalMailbox(at_most(0)).features() & kBoundsWaiting, kBoundsWaiting);
}

TEST(CanalMailbox, that_grows_beyond_its_room_ends_as_a_limit) {
    MailboxWalk walk = mailbox_walk(asynchronous(), {rounds(7)});
    walk.steps(0, 30);
    EXPECT_FALSE(walk.step().is(kAcquired));
    try {
        walk.step();
        FAIL() << "a 13th message";
    } catch (const LimitExceeded& limit) {
        EXPECT_STREQ(limit.what(),
                     "more than 12 messages of one caller that the manager has not handled");
    }
}

// --- a manager that is started again
// -----------------------------------------------------------------

TEST(CanalSupervisor, starts_a_manager_without_tables_and_without_messages) {
    MailboxWalk walk = mailbox_walk(supervised(1, 1), {rounds(1), rounds(1)});
    walk.call(0);
    walk.drain();
    walk.call(1);
    walk.apply(kKill);
    EXPECT_TRUE(walk.seen().servers_gone);
    EXPECT_FALSE(walk.seen().quiescent) << "the supervisor is about to act";
    EXPECT_EQ(walk.next_background(), "supervisor: starts the manager again");
    walk.apply(kRestarted);
    EXPECT_FALSE(walk.seen().servers_gone);
    EXPECT_EQ(walk.show(), "db [-] highest -  held by A, B");
    EXPECT_EQ(known(walk, 0), 0U);
    EXPECT_EQ(walk.enabled(), "s0,s1") << "B's notification is lost";
}

TEST(CanalSupervisor, gives_up_when_it_has_started_the_manager_so_often) {
    MailboxWalk walk = mailbox_walk(supervised(2, 1), {rounds(1)});
    walk.apply(kKill);
    EXPECT_EQ(walk.enabled(), "s0,b0.5") << "a dead manager is not killed";
    walk.apply(kRestarted);
    walk.apply(kKill);
    EXPECT_EQ(walk.enabled(), "s0");
}

TEST(CanalSupervisor, leaves_who_held_before_to_die_in_its_release) {
    MailboxWalk walk = mailbox_walk(supervised(1, 1), {rounds(1)});
    walk.call();
    walk.drain();
    walk.apply(kKill);
    walk.apply(kRestarted);
    EXPECT_TRUE(walk.step().is(kCallerDied)) << "no `highest`";
}

TEST(CanalSupervisor, does_not_answer_who_waits_for_the_manager_before) {
    MailboxWalk walk = mailbox_walk(supervised(1, 1), {rounds(1)});
    walk.steps(0, 5);
    walk.apply(kKill);
    walk.apply(kRestarted);
    EXPECT_EQ(walk.next(0), "A release: notice that the manager is dead");
    EXPECT_TRUE(walk.step().is(kCallerDied));
}

// The planted bug alone leaves the caller waiting, and only where another manager is to come.
TEST(CanalSupervisor, leaves_a_caller_that_asks_a_name_waiting_for_ever) {
    for (const bool is_supervised : {false, true}) {
        MailboxOptions options = supervised(1, is_supervised ? 1 : 0);
        options.waits_for_the_next = true;
        MailboxWalk walk = mailbox_walk(options, {rounds(1)});
        walk.steps(0, 5);
        walk.apply(kKill);
        EXPECT_EQ(walk.enabled(), is_supervised ? kRestarted : "s0");
        if (is_supervised) {
            walk.apply(kRestarted);
            EXPECT_EQ(walk.enabled(), "");
        }
    }
}

TEST(CanalSupervisor, starts_a_manager_that_died_of_its_own_error) {
    MailboxOptions options = supervised(0, 1);
    options.canal = without_highest(with_table({0}));
    MailboxWalk walk = mailbox_walk(options, {{acquire(2, 1), exit_process()}});
    walk.call();
    walk.drain();
    EXPECT_EQ(walk.show(), "db [1] highest -  held by A");
    walk.step();
    walk.apply("b0.4");
    EXPECT_TRUE(walk.apply("b0.0").is(kServersDied));
    EXPECT_EQ(walk.enabled(), kRestarted);
    walk.apply(kRestarted);
    EXPECT_TRUE(walk.seen().quiescent);
}

}  // namespace
}  // namespace lockkeeper
