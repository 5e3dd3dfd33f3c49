// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/innodb_server.hpp"

#include <gtest/gtest.h>

#include "impl/transactional/planted_bugs.hpp"
#include "impl/transactional/transaction_walk_test.hpp"

namespace lockkeeper::testing_transactional {
namespace {

using InnodbWalk = Walk<InnodbServer>;

InnodbWalk walk_of(const Scripts& scripts, ServerOptions options) {
    return {InnodbServer(std::move(options)), world_of(scripts)};
}
InnodbWalk walk_of(const Scripts& scripts) { return walk_of(scripts, options_for(scripts)); }

const TransactionServer::Record& record_of(const InnodbWalk& walk, std::size_t caller) {
    return walk.state().slots[caller].record;
}

TEST(InnodbServer, leaves_the_row_to_the_next_when_the_owner_commits) {
    auto walk = walk_of({{acquire(), release()}, {acquire(), release()}});
    walk.steps(0, 2);
    walk.steps(1, 2);
    EXPECT_EQ(walk.counters(), (std::vector<std::int32_t>{2, 0, 1}));
    walk.steps(0, 2);
    EXPECT_EQ(record_of(walk, 1).session.place[0], 1);
    EXPECT_EQ(record_of(walk, 1).session.inserted, 0);
    EXPECT_TRUE(walk.step(1).is(kAcquired));
}

TEST(InnodbServer, gives_the_gap_to_all_who_waited_for_a_row_that_is_rolled_back) {
    const Operation back = call(Word::kRollBack);
    auto walk = walk_of({{acquire(), back}, {acquire(), back}, {acquire(), back}});
    for (std::uint8_t caller = 0; caller < 3; ++caller) {
        walk.steps(caller, 2);
    }
    walk.step(0);
    EXPECT_EQ(walk.counters(), (std::vector<std::int32_t>{0, 0, 0}));
    EXPECT_EQ(record_of(walk, 1).session.gaps, 1);
    EXPECT_EQ(record_of(walk, 2).session.gaps, 1);
    walk.step(1);  // waits for the gap of C
    EXPECT_FALSE(walk.can(testing_model::step_of(1)));
    walk.step(2);  // would wait for the gap of B: the victim, and B can go on
    EXPECT_EQ(record_of(walk, 2).session.answer, Error::kDeadlock);
    EXPECT_TRUE(walk.step(1).is(kAcquired));
}

TEST(InnodbServer, needs_no_victim_for_one_waiter_nor_for_rows_that_are_there) {
    const Scripts two(2, {acquire(), call(Word::kRollBack)});
    const Scripts three(3, {acquire(), call(Word::kRollBack)});
    const auto fails = [](const Scripts& scripts, std::uint16_t repairs) {
        ServerOptions options = options_for(scripts);
        options.repairs = repairs;
        int failed = 0;
        count_states(World<InnodbServer>(InnodbServer(options), world_of(scripts)),
                     [&](const Event& event) { failed += event.is(kFailed) ? 1 : 0; });
        return failed > 0;
    };
    EXPECT_FALSE(fails(two, 0));
    EXPECT_TRUE(fails(three, 0));
    EXPECT_FALSE(fails(three, kRowFirst));
}

TEST(InnodbServer, rolls_back_only_the_statement_that_waited_too_long) {
    const Scripts scripts{{acquire(1, 1, 1)}, {acquire(), acquire(1, 1, 1)}};
    ServerOptions options = options_for(scripts);
    options.lock_timeout = 50;
    auto walk = walk_of(scripts, options);
    walk.steps(0, 2);
    walk.steps(1, 3);
    walk.apply("t0.50");
    walk.apply("b1.1");
    EXPECT_EQ(static_cast<Error>(walk.step(1).error), Error::kLockTimeout);
    EXPECT_EQ(record_of(walk, 1).session.place[0], 1);
    EXPECT_EQ(record_of(walk, 1).session.transaction, Transaction::kOpen);
}

TEST(InnodbServer, frees_at_a_roll_back_to_a_savepoint_what_the_reference_says) {
    struct Case {
        bool row_there;
        bool engaged_before;
        int place_after;
    };
    for (const Case one :
         {Case{false, true, 0}, Case{false, false, 0}, Case{true, true, 1}, Case{true, false, 0}}) {
        std::vector<Operation> script{call(Word::kBegin)};
        if (one.engaged_before) {
            script.push_back(call(Word::kLook));
        }
        for (const Operation& next : {call(Word::kSavepoint), acquire(), call(Word::kRollBackTo)}) {
            script.push_back(next);
        }
        ServerOptions options = options_for({script});
        options.rows = one.row_there ? 1 : 0;
        auto walk = walk_of({script}, options);
        walk.steps(0, static_cast<int>(script.size()));
        EXPECT_EQ(record_of(walk, 0).session.place[0], one.place_after)
            << one.row_there << one.engaged_before;
    }
}

TEST(InnodbServer, closes_its_read_view_when_all_that_it_did_is_rolled_back_to_a_savepoint) {
    const Operation look = call(Word::kLook);
    const Operation savepoint = call(Word::kSavepoint);
    const Operation back = call(Word::kRollBackTo);
    for (const bool before : {false, true}) {
        const Scripts scripts{
            {call(Word::kBegin), before ? look : savepoint, before ? savepoint : look, back}};
        ServerOptions options = options_for(scripts);
        options.clients[0].repeatable_read = true;
        auto walk = walk_of(scripts, options);
        walk.steps(0, 4);
        EXPECT_EQ(record_of(walk, 0).session.viewed, before ? 1 : 0);
    }
}

TEST(InnodbServer, has_taken_part_before_a_savepoint_when_it_did_in_one_that_was_released) {
    const Scripts scripts{{call(Word::kBegin), call(Word::kSavepoint), acquire(), release(),
                           call(Word::kReleaseSavepoint), call(Word::kSavepoint), acquire(1, 1, 1),
                           call(Word::kRollBackTo)}};
    ServerOptions options = options_for(scripts);
    options.rows = 3;
    auto walk = walk_of(scripts, options);
    walk.steps(0, static_cast<int>(scripts[0].size()));
    EXPECT_EQ(record_of(walk, 0).session.place[1], 1);
}

TEST(InnodbServer, keeps_no_savepoint_outside_of_a_transaction_and_says_ok) {
    auto walk = walk_of({{call(Word::kSavepoint), call(Word::kRollBackTo), acquire(),
                          call(Word::kReleaseSavepoint), call(Word::kRollBackTo)}});
    EXPECT_EQ(walk.step().error, 0);
    EXPECT_EQ(record_of(walk, 0).session.savepoints, 0);
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
    walk.steps(0, 2);
    for (int none = 0; none < 2; ++none) {  // an error like any other: the lock is kept
        EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kStatementFailed);
        EXPECT_EQ(record_of(walk, 0).session.place[0], 1);
    }
}

TEST(InnodbServer, misses_the_savepoint_of_a_block_though_a_later_block_has_set_its_own) {
    const Scripts scripts{{acquire(), call(Word::kSavepoint), acquire(1, 1, 1),
                           call(Word::kRollBackTo), acquire(1, 1, 1), release(1, 1, 1),
                           release(1, 1, 1), release()}};
    ServerOptions options = options_for(scripts);
    options.repairs = kInnerSavepoint;
    auto walk = walk_of(scripts, options);
    walk.steps(0, 8);
    EXPECT_TRUE(walk.step().is(kReleased)) << "the third block has its own";
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack) << "the second has not";
    EXPECT_EQ(static_cast<Error>(walk.step().error), Error::kRolledBack);
}

TEST(InnodbServer, takes_part_before_a_savepoint_by_a_row_of_the_outbox) {
    Operation effect = call(Word::kEffect);
    effect.needs_lock = false;
    const Scripts scripts{
        {call(Word::kBegin), effect, call(Word::kSavepoint), acquire(), call(Word::kRollBackTo)}};
    ServerOptions options = options_for(scripts);
    options.rows = 1;
    options.repairs = kOutbox;
    auto walk = walk_of(scripts, options);
    walk.steps(0, 5);
    EXPECT_EQ(record_of(walk, 0).session.place[0], 1);
}

// A and B in a deadlock, A is the victim and goes on. It asks for a new row of C, and so does D;
// C rolls back.
InnodbWalk woken_victim(std::int32_t timeout) {
    const Scripts scripts{{acquire(), acquire(1, 1, 1), acquire(1, 1, 2)},
                          {acquire(1, 1, 1), acquire()},
                          {acquire(1, 1, 2), call(Word::kRollBack)},
                          {acquire(1, 1, 2)}};
    WorldConfig world = world_of(scripts);
    world.keys.emplace_back("c");
    ServerOptions options = options_for(scripts);
    options.keys = world.keys;
    options.numbers.push_back({2, 2, 0});
    options.rows = 3;
    options.clients[0].lock_timeout = timeout;
    InnodbWalk walk(InnodbServer(std::move(options)), world);
    walk.steps(0, 2);
    walk.steps(1, 3);
    walk.steps(0, 2);
    EXPECT_EQ(record_of(walk, 0).failed, Error::kDeadlock);
    walk.steps(2, 2);
    walk.step(0);
    if (timeout != 0) {
        walk.steps(3, 2);
    }
    walk.step(2);
    EXPECT_EQ(record_of(walk, 0).session.gaps, 4);
    return walk;
}

TEST(InnodbServer, frees_the_gap_of_a_statement_that_was_a_transaction_of_its_own) {
    auto walk = woken_victim(0);
    EXPECT_TRUE(walk.step(0).is(kAcquired));
    EXPECT_EQ(record_of(walk, 0).session.gaps, 0);
    EXPECT_EQ(walk.state().shared.gap_holders[2], 0);
}

TEST(InnodbServer, frees_the_gap_of_such_a_statement_that_waited_too_long) {
    auto walk = woken_victim(1000);
    walk.step(0);  // D has inherited the gap as well
    walk.apply("t0.1000");
    walk.apply("b0.1");
    EXPECT_EQ(record_of(walk, 0).session.gaps, 0);
    EXPECT_TRUE(walk.step(3).is(kAcquired));
}

TEST(InnodbServer, gives_no_time_out_to_an_insert_that_was_woken_unless_it_waits_again) {
    const Scripts scripts{{acquire(), call(Word::kRollBack)}, {acquire()}, {acquire()}};
    for (const bool alone : {true, false}) {
        ServerOptions options = options_for(scripts);
        options.lock_timeout = 1000;
        auto walk = walk_of(scripts, options);
        walk.steps(0, 2);
        walk.steps(1, 2);
        walk.steps(2, alone ? 0 : 2);
        walk.step(0);
        EXPECT_FALSE(walk.can({0, ActionKind::kTime, 1000}));
        walk.step(1);
        EXPECT_EQ(walk.can({0, ActionKind::kTime, 1000}), !alone);
    }
}

TEST(InnodbServer, deletes_nothing_when_the_row_has_gone_before_its_delete_got_to_it) {
    const Scripts scripts(2, {call(Word::kCleanUp)});
    ServerOptions options = options_for(scripts);
    options.rows = 1;
    auto walk = walk_of(scripts, options);
    walk.steps(1, 2);
    walk.steps(0, 2);  // waits for the row
    walk.step(1);
    walk.steps(0, 2);
    EXPECT_EQ(record_of(walk, 0).to_delete, 1);
    EXPECT_EQ(record_of(walk, 0).deleted, 0);
}

TEST(InnodbServer, has_one_row_for_two_names_with_one_id) {
    const Scripts scripts{{call(Word::kCleanUp)}};
    ServerOptions options = options_for(scripts);
    options.numbers = {{0, 0, 0}, {1, 0, 0}};
    options.rows = 3;
    auto walk = walk_of(scripts, options);
    EXPECT_EQ(walk.state().shared.rows, 1);
    walk.steps(0, 3);
    EXPECT_TRUE(walk.actions().empty());
}

TEST(InnodbServer, loses_the_session_of_a_victim_with_the_server) {
    const Scripts scripts{{acquire(), acquire(1, 1, 1), call(Word::kLook), release()},
                          {acquire(1, 1, 1), acquire(), release()}};
    ServerOptions options = options_for(scripts);
    options.rows = 3;
    options.faults.server_crashes = 1;
    auto walk = walk_of(scripts, options);
    walk.steps(0, 2);
    walk.steps(1, 3);
    walk.steps(0, 2);  // closes the cycle, and hears of it
    EXPECT_EQ(record_of(walk, 0).failed, Error::kDeadlock);
    walk.apply("d0.1");
    EXPECT_EQ(static_cast<Error>(walk.step(0).error), Error::kConnectionLost);
}

TEST(InnodbServer, serves_by_weight_who_blocks_most_others) {
    const Scripts scripts{{acquire(), release()},
                          {acquire(), release()},
                          {acquire(1, 1, 1), acquire(), release(), release(1, 1, 1)},
                          {acquire(1, 1, 1), release(1, 1, 1)}};
    for (const bool by_weight : {false, true}) {
        ServerOptions options = options_for(scripts);
        options.rows = 3;
        options.by_weight = by_weight;
        auto walk = walk_of(scripts, options);
        walk.steps(0, 2);
        walk.steps(1, 2);
        walk.steps(2, 3);
        walk.steps(3, 2);
        walk.steps(0, 2);
        EXPECT_EQ(record_of(walk, by_weight ? 2 : 1).session.place[0], 1);
    }
}

// A model's own error once, found by `grant-overlap` in clean_up_and_callers.json.
TEST(InnodbServer, sees_who_waits_for_a_row_that_the_clean_up_has_deleted) {
    const Scripts scripts{{acquire(), release()}, {acquire(), release()}, {call(Word::kCleanUp)}};
    for (const bool is_broken : {false, true}) {
        ServerOptions options = options_for(scripts);
        options.rows = 1;
        if (is_broken) {
            plant(innodb_bugs(), "forgets_the_line", options);
        }
        bool overlap = false;
        count_states(World<InnodbServer>(InnodbServer(options), world_of(scripts)),
                     [&](const Event& event) { overlap = overlap || event.is(kOverlap); });
        EXPECT_EQ(overlap, is_broken);
    }
}

TEST(InnodbServer, has_as_many_states_as_when_it_was_written) {
    // The explorer counts as many for the same scripts, without symmetry.
    const Scripts scripts(2, {acquire(), call(Word::kWrite), call(Word::kRollBack)});
    EXPECT_EQ(
        count_states(World<InnodbServer>(InnodbServer(options_for(scripts)), world_of(scripts))),
        31U);
}

// --- user locks (GET_LOCK), as MariaDB 10.11.19 has them -----------------------------------------

ServerOptions with_user_locks(const Scripts& scripts, std::uint8_t keys = 3) {
    ServerOptions options = options_for(scripts);
    options.user_locks = keys;
    options.rows = static_cast<std::uint8_t>(3 & ~keys);
    return options;
}

TEST(UserLocks, keep_the_transaction_of_a_victim_open_and_its_next_BEGIN_commits_the_first_half) {
    for (const bool repaired : {false, true}) {
        const Scripts scripts{{acquire(), call(Word::kWrite), acquire(1, 1, 1), release(),
                               acquire(), call(Word::kWrite), release()},
                              {acquire(1, 1, 1), acquire()}};
        ServerOptions options = with_user_locks(scripts);
        options.clients[0].restarts = true;
        options.repairs = repaired ? kRollsBack : 0;
        auto walk = walk_of(scripts, options);
        walk.steps(0, 3);
        walk.steps(1, 3);
        walk.step(0);  // closes the cycle
        EXPECT_TRUE(walk.step(0).is(kFailed));
        EXPECT_EQ(record_of(walk, 0).session.transaction, Transaction::kOpen);
        EXPECT_NE(record_of(walk, 0).session.written[0], 0);
        EXPECT_TRUE(walk.step(0).is(kFailed));  // the block ends by what it got
        EXPECT_EQ(record_of(walk, 0).session.place[0], 0) << "its user locks are free";
        const Event begins = walk.step(0);
        EXPECT_EQ(!repaired, begins.is(Breach::kFalseError));
        EXPECT_EQ(repaired ? 0 : 1, walk.counters()[1]);
    }
}

TEST(UserLocks, need_no_row) {
    const Scripts scripts{{acquire(), acquire(1, 1, 1)}};
    auto walk = walk_of(scripts, with_user_locks(scripts, 1));
    walk.steps(0, 3);
    EXPECT_EQ(1, record_of(walk, 0).session.place[0]);
    EXPECT_EQ(0, record_of(walk, 0).session.inserted & 1) << "no row is made for it";
}

TEST(UserLocks, answer_KILL_QUERY_by_NULL_which_is_taken_for_a_grant_unless_it_is_checked) {
    for (const bool repaired : {false, true}) {
        const Scripts scripts{{acquire()}, {acquire()}};
        ServerOptions options = with_user_locks(scripts);
        options.faults.query_kills = 1;
        options.repairs = repaired ? kCheckedLock : 0;
        auto walk = walk_of(scripts, options);
        walk.steps(0, 2);
        walk.steps(1, 2);
        const Action kill{1, ActionKind::kDisturb,
                          static_cast<std::uint16_t>(Disturbance::kKillQuery)};
        ASSERT_TRUE(walk.can(kill));
        walk.apply(kill);
        EXPECT_FALSE(walk.can(kill));
        EXPECT_EQ(!repaired, walk.step(1).is(kAcquired));
        EXPECT_EQ(0, record_of(walk, 1).session.place[0]);
    }
}

TEST(UserLocks, and_rows_have_no_detector_in_common) {
    const Scripts scripts{{acquire(), acquire(1, 1, 1)}, {acquire(1, 1, 1), acquire()}};
    for (const std::uint8_t keys : std::initializer_list<std::uint8_t>{0, 1, 3}) {
        auto walk = walk_of(scripts, with_user_locks(scripts, keys));
        walk.steps(0, 2);
        walk.steps(1, 2);
        walk.step(0);
        walk.step(1);
        EXPECT_EQ(keys == 1, record_of(walk, 1).session.answer == Error::kNone) << int{keys};
    }
}

}  // namespace
}  // namespace lockkeeper::testing_transactional
