// SPDX-License-Identifier: Apache-2.0

// Connections that are lost with a statement or its answer, and blocks with transactions of their
// own.
#include <gtest/gtest.h>

#include "impl/transactional/transaction_walk_test.hpp"

namespace lockkeeper::testing_transactional {
namespace {

ServerOptions with_losses(const Scripts& scripts) {
    ServerOptions options = options_for(scripts);
    options.faults.requests_lost = 2;
    options.faults.answers_lost = 2;
    return options;
}
template <class Server = PgServer>
Walk<Server> lossy_walk_of(const Scripts& scripts, ServerOptions options) {
    return {Server(std::move(options)), world_of(scripts)};
}
template <class Server>
const Record& record_of(const Walk<Server>& walk, std::size_t caller) {
    return walk.state().slots[caller].record;
}
Error error_of(const Event& event) { return static_cast<Error>(event.error); }

const std::string kRequest = ".3";
const std::string kAnswer = ".4";

TEST(TransactionLoss, a_lost_answer_to_the_lock_statement_leaves_the_lock_to_a_session) {
    const Scripts scripts(2, {acquire(), release()});
    auto walk = lossy_walk_of(scripts, with_losses(scripts));
    walk.step(0);
    walk.apply("f0" + kAnswer);
    EXPECT_EQ(record_of(walk, 0).session.place[0], 0);
    EXPECT_EQ(record_of(walk, 0).lost.place[0], 1);
    EXPECT_EQ(error_of(walk.step(0)), Error::kConnectionLost);
    walk.steps(1, 2);
    EXPECT_FALSE(walk.can(testing_model::step_of(1)));  // waits
    walk.apply("b0.6");
    EXPECT_FALSE(is_there(record_of(walk, 0).lost));
    EXPECT_TRUE(walk.step(1).is(kAcquired));
}

TEST(TransactionLoss, a_lost_request_changes_nothing_at_the_server) {
    const Scripts scripts(1, {acquire(), release()});
    auto walk = lossy_walk_of(scripts, with_losses(scripts));
    walk.step();
    walk.apply("f0" + kRequest);
    EXPECT_FALSE(is_there(record_of(walk, 0).lost));
    EXPECT_EQ(error_of(walk.step()), Error::kConnectionLost);
}

// Every statement of a session, and its answer.
TEST(TransactionLoss, each_statement_can_be_lost_and_its_answer) {
    const Scripts scripts{{call(Word::kBegin), call(Word::kSavepoint), acquire(), call(Word::kRead),
                           call(Word::kWrite), call(Word::kLook), release(),
                           call(Word::kRollBackTo), call(Word::kReleaseSavepoint),
                           call(Word::kBeginNew), call(Word::kCommit), call(Word::kFail),
                           call(Word::kRollBack)}};
    auto walk = lossy_walk_of(scripts, with_losses(scripts));
    std::size_t lost = 0;
    std::size_t steps = 0;
    for (; walk.can(testing_model::step_of(0)); walk.step(), ++steps) {
        const bool request = walk.can({0, ActionKind::kFault, 3});
        EXPECT_EQ(request, walk.can({0, ActionKind::kFault, 4})) << steps;
        lost += request ? 1 : 0;
    }
    EXPECT_EQ(steps, 13U);
    EXPECT_EQ(lost, 12U);  // the end of the inner lock's block sends nothing
}

TEST(TransactionLoss, a_block_that_could_not_be_opened_is_passed_over_and_its_end_ends_no_other) {
    const Scripts scripts{{acquire(), call(Word::kBeginNew, 1), acquire(1, 1, 1),
                           call(Word::kLook, 1), call(Word::kCommit, 1), call(Word::kWrite),
                           release()}};
    auto walk = lossy_walk_of(scripts, with_losses(scripts));
    walk.steps(0, 2);
    EXPECT_EQ(error_of(walk.apply("f0" + kRequest)), Error::kConnectionLost);
    EXPECT_EQ(record_of(walk, 0).unopened, 1);
    EXPECT_FALSE(walk.can({0, ActionKind::kFault, 3}));  // nothing is sent that could be lost
    EXPECT_TRUE(walk.step().is(kFailed));                // the acquire in it
    walk.steps(0, 2);                                    // look, commit
    EXPECT_EQ(record_of(walk, 0).unopened, 0);
    EXPECT_EQ(record_of(walk, 0).blocks, 1);
    EXPECT_EQ(error_of(walk.step()), Error::kConnectionLost);  // the write of the outer block
}

TEST(TransactionLoss, a_statement_that_waits_goes_on_without_its_caller) {
    const Scripts scripts(3, {acquire(), release()});
    auto walk = lossy_walk_of(scripts, with_losses(scripts));
    walk.steps(0, 2);
    walk.steps(1, 2);
    walk.apply("d1.2");
    EXPECT_EQ(record_of(walk, 1).lost.place[0], 2);
    walk.step(1);
    EXPECT_EQ(error_of(walk.step(1)), Error::kConnectionLost);
    walk.steps(2, 2);
    EXPECT_EQ(walk.enabled(), "s0,t0.1000,f0.3,d2.2");  // who waits is not noticed
    walk.steps(0, 3);
    walk.apply("b1.5");
    EXPECT_EQ(record_of(walk, 1).lost.place[0], 1);
    EXPECT_FALSE(walk.can(testing_model::step_of(2)));
    walk.apply("b1.6");
    EXPECT_TRUE(walk.step(2).is(kAcquired));
}

// InnoDB: the insert of the session that was lost makes the row anew.
TEST(TransactionLoss, an_insert_that_was_woken_goes_on_without_its_caller) {
    const Scripts scripts{{acquire(), call(Word::kRollBack)}, {acquire(), release()}};
    auto walk = lossy_walk_of<InnodbServer>(scripts, with_losses(scripts));
    walk.steps(0, 2);
    walk.steps(1, 2);
    walk.apply("d1.2");
    walk.step(0);
    EXPECT_EQ(record_of(walk, 1).lost.insert, Insert::kWoken);
    walk.apply("b1.5");
    EXPECT_EQ(record_of(walk, 1).lost.place[0], 1);
    EXPECT_EQ(record_of(walk, 1).lost.inserted, 1);
    walk.apply("b1.6");
    EXPECT_FALSE(is_there(record_of(walk, 1).lost));
    EXPECT_EQ(walk.state().shared.rows, 0);
}

// InnoDB: a deadlock with the session that the caller itself has lost.
TEST(TransactionLoss, a_session_that_was_lost_can_be_in_a_cycle) {
    const Scripts scripts{{acquire(1, 1, 0), acquire(1, 1, 1)},
                          {acquire(1, 1, 1), acquire(1, 1, 0)}};
    ServerOptions options = with_losses(scripts);
    options.rows = 3;
    auto walk = lossy_walk_of<InnodbServer>(scripts, options);
    walk.steps(0, 2);
    walk.steps(1, 2);
    walk.step(0);
    walk.apply("d0.2");
    walk.step(0);
    walk.step(1);
    EXPECT_EQ(error_of(walk.step(1)), Error::kDeadlock);
    walk.apply("b0.5");
    EXPECT_EQ(record_of(walk, 0).lost.place[1], 1);
}

// In no transaction, so at once, and without the lock as soon as the server has noticed.
TEST(TransactionLoss, who_reconnects_in_its_block_writes_without_the_lock) {
    const Scripts scripts{{acquire(), call(Word::kRead), call(Word::kWrite), release()}};
    for (const bool reconnects : {false, true}) {
        ServerOptions options = with_losses(scripts);
        options.clients[0].reconnects = reconnects;
        auto walk = lossy_walk_of(scripts, options);
        walk.steps(0, 2);
        walk.apply("f0" + kAnswer);
        walk.apply("b0.6");
        EXPECT_EQ(walk.step().is(Breach::kUnprotected), reconnects);
        EXPECT_EQ(walk.state().shared.versions[0], reconnects ? 1 : 0);
        EXPECT_EQ(error_of(walk.step()), Error::kConnectionLost);
    }
}

// InnoDB: whoever takes the row back inherits its gap when somebody waits for it.
TEST(TransactionLoss, roll_back_to_a_savepoint_inherits_the_gap_of_a_row_that_is_waited_for) {
    const Scripts scripts{{call(Word::kBegin), call(Word::kLook), call(Word::kBeginNew), acquire(),
                           release(), call(Word::kRollBack, 1), call(Word::kCommit)},
                          {acquire(), release()}};
    for (const bool repeatable : {false, true}) {
        ServerOptions options = options_for(scripts);
        options.clients[0].repeatable_read = repeatable;
        auto walk = lossy_walk_of<InnodbServer>(scripts, options);
        walk.steps(0, 5);
        walk.steps(1, 2);
        walk.step(0);
        EXPECT_EQ(walk.step(1).is(kAcquired), !repeatable);
        EXPECT_EQ(walk.can(testing_model::step_of(1)), !repeatable);
        walk.steps(0, 3);
        EXPECT_TRUE(walk.can(testing_model::step_of(1)));
    }
}

TEST(TransactionLoss, a_block_with_its_own_transaction_goes_back_to_its_savepoint) {
    const Scripts scripts{{acquire(1, 1, 0), call(Word::kBeginNew), acquire(1, 1, 1),
                           call(Word::kFail), release(1, 1, 1), call(Word::kCommit),
                           release(1, 1, 0)}};
    auto pg = lossy_walk_of(scripts, options_for(scripts));
    pg.steps(0, 5);
    EXPECT_EQ(record_of(pg, 0).session.place[1], 0);  // freed by the error
    EXPECT_EQ(record_of(pg, 0).session.place[0], 1);
    EXPECT_EQ(error_of(pg.step()), Error::kStatementFailed);
    EXPECT_EQ(error_of(pg.step()), Error::kStatementFailed);
    EXPECT_EQ(record_of(pg, 0).session.transaction, Transaction::kOpen);
    EXPECT_TRUE(pg.steps(0, 3).is(kReleased));

    ServerOptions options = options_for(scripts);
    options.rows = 3;
    auto innodb = lossy_walk_of<InnodbServer>(scripts, options);
    innodb.steps(0, 7);
    EXPECT_EQ(record_of(innodb, 0).session.place[1], 1);  // a row that was there
    EXPECT_TRUE(innodb.steps(0, 3).is(kReleased));
}

TEST(TransactionLoss, the_savepoint_that_a_block_went_back_to_is_not_the_scripts) {
    const Scripts scripts{{call(Word::kBegin), call(Word::kBeginNew), call(Word::kRollBack),
                           call(Word::kRollBackTo)}};
    auto walk = lossy_walk_of(scripts, options_for(scripts));
    walk.steps(0, 3);
    EXPECT_EQ(record_of(walk, 0).session.savepoints, 1);
    EXPECT_EQ(error_of(walk.step()), Error::kStatementFailed);
}

// Not clear of an error that came before the block.
TEST(TransactionLoss, an_error_before_a_block_with_its_own_transaction_stays) {
    const Scripts scripts{{acquire(1, 1, 0), call(Word::kFail), call(Word::kBeginNew),
                           call(Word::kRollBack, 1), release(1, 1, 0)}};
    ServerOptions options = options_for(scripts);
    auto walk = lossy_walk_of<InnodbServer>(scripts, options);
    walk.steps(0, 5);
    EXPECT_EQ(error_of(walk.step()), Error::kStatementFailed);
}

}  // namespace
}  // namespace lockkeeper::testing_transactional
