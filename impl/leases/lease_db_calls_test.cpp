// SPDX-License-Identifier: Apache-2.0

// Asynchronous calls on the database leases, statement by statement.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

using State = LeaseDb::CallState;

constexpr Operation kCompleteIt{.verb = Verb::kCall,
                                .word = static_cast<std::uint8_t>(LeaseDbCall::kComplete)};

Clients<LeaseDb> calls(std::uint16_t repairs = 0, LeaseDbOptions options = {}) {
    options.calls = true;
    options.repairs = repairs;
    return Clients<LeaseDb>(LeaseDb(with_clients(std::move(options))));
}

// Its transaction, up to but not including the step that is named.
enum Until { kPicked = 1, kInserted, kMarked, kRenews, kCommitted };
void begin(Clients<LeaseDb>& db, std::size_t caller, Until until) {
    db.begin(caller, kAcquireIt);
    for (int step = 0; step < until; ++step) {
        EXPECT_EQ(db.step(caller),
                  step + 1 == kCommitted ? Outcome::kAcquired : Outcome::kContinues)
            << step;
    }
}

// A pick whose COMMIT meets the fault.
Clients<LeaseDb> with_commit(StepFault fault, Outcome outcome, std::uint16_t repairs = 0) {
    LeaseDbOptions options;
    options.faults.of(fault) = 1;
    auto db = calls(repairs, options);
    begin(db, 0, kRenews);
    EXPECT_EQ(db.step(0, fault), outcome);
    return db;
}

TEST(LeaseDbPick, is_a_step_for_each_statement_and_nobody_sees_it_before_its_commit) {
    auto db = calls();
    begin(db, 0, kMarked);
    EXPECT_EQ(db.shared().calls[0][0], State::kPending);
    EXPECT_FALSE(db.holds(0));
    EXPECT_EQ(db.record(0).renewal[0].phase, Phase::kNone);
    EXPECT_EQ(db.next_stop(), -1) << "no time passes between its statements";
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_EQ(db.record(0).renewal[0].phase, Phase::kWaits) << "before its COMMIT";
    EXPECT_EQ(db.step(0), Outcome::kAcquired);
    EXPECT_EQ(db.shared().calls[0][0], State::kExecuting);
    EXPECT_TRUE(db.holds(0));
}

TEST(LeaseDbPick, that_somebody_else_has_made_too_is_a_conflict_after_his_commit) {
    auto db = calls();
    begin(db, 1, kPicked);
    begin(db, 0, kRenews);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(1));
    EXPECT_EQ(db.step(0), Outcome::kAcquired);
    EXPECT_EQ(db.step(1), Outcome::kRefused);
    EXPECT_EQ(db.last_error(), "Conflict");
    EXPECT_EQ(db.acquire(1), "NoCall") << "who asks now finds nothing to pick";
}

TEST(LeaseDbPick, that_is_stale_runs_the_call_a_second_time_unless_it_is_checked) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kDbCheckedPick}}) {
        auto db = calls(repairs);
        begin(db, 1, kPicked);
        EXPECT_EQ(db.acquire(0), "ok");
        EXPECT_EQ(db.call(0, kCompleteIt), "ok");
        EXPECT_FALSE(db.last().is(Breach::kRepeated));
        EXPECT_EQ(db.shared().calls[0][0], State::kSucceeded);
        EXPECT_EQ(db.step(1), Outcome::kContinues) << "the lease is free";
        if (repairs != 0) {
            EXPECT_EQ(db.step(1), Outcome::kRefused);
            EXPECT_EQ(db.last_error(), "NoCall");
            EXPECT_EQ(db.shared().rows[0].token, 0) << "its insert is rolled back";
            continue;
        }
        EXPECT_EQ(db.step(1), Outcome::kContinues);
        EXPECT_EQ(db.step(1), Outcome::kContinues);
        EXPECT_EQ(db.step(1), Outcome::kAcquired);
        EXPECT_EQ(db.shared().calls[0][0], State::kExecuting);
        db.begin(1, kCompleteIt);
        EXPECT_EQ(db.step(1), Outcome::kContinues);
        EXPECT_TRUE(db.last().is(Breach::kRepeated));
    }
}

TEST(LeaseDbPick, has_the_time_of_its_first_statement) {
    LeaseDbOptions options;
    options.delay = 100;
    auto db = calls(0, options);
    begin(db, 0, kPicked);
    EXPECT_EQ(db.next_stop(), 100);
    db.go_to(100);
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_EQ(db.shared().rows[0].expires, kBeginning + 5'000);
}

TEST(LeaseDbPick, with_a_ttl_that_is_too_short_ends_its_transaction) {
    LeaseDbOptions options;
    options.ttl = 4'999;
    auto db = calls(0, options);
    EXPECT_EQ(db.acquire(0), "TtlTooShort");
    EXPECT_EQ(db.record(0).started, 0);
}

TEST(LeaseDbPick, waits_for_a_completion_that_is_not_committed_and_then_changes_the_call) {
    LeaseDbOptions options;
    options.faults.slow_commits = 1;
    auto db = calls(0, options);
    begin(db, 1, kPicked);
    EXPECT_EQ(db.acquire(0), "ok");
    db.begin(0, kCompleteIt);
    EXPECT_EQ(db.step(0, StepFault::kSlowCommit), Outcome::kContinues);
    db.shared().rows[0] = {};  // its lease is over
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(1));
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_FALSE(db.blocked(1));
    EXPECT_EQ(db.shared().calls[0][0], State::kSucceeded);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    db.begin(2, kCompleteIt);
    EXPECT_EQ(db.step(2), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(2)) << "a completion waits for a pick, too";
}

TEST(LeaseDbPick, whose_statement_has_no_answer_leaves_nothing) {
    for (int step = 0; step < 3; ++step) {
        for (const StepFault fault : {StepFault::kLostRequest, StepFault::kLostReply}) {
            LeaseDbOptions options;
            options.faults.lost_requests = 1;
            options.faults.lost_replies = 1;
            auto db = calls(0, options);
            db.begin(0, kAcquireIt);
            for (int before = 0; before < step; ++before) {
                EXPECT_EQ(db.step(0), Outcome::kContinues);
            }
            EXPECT_EQ(db.step(0, fault), Outcome::kFailed);
            EXPECT_EQ(db.last_error(), "DbError");
            EXPECT_EQ(db.shared().rows[0].token, 0);
            EXPECT_EQ(db.shared().locked_calls[0], 0);
            EXPECT_EQ(db.acquire(1), "ok");
        }
    }
}

TEST(LeaseDbPick, whose_statement_has_waited_and_has_no_answer_does_not_keep_time_from_passing) {
    for (const bool waits_for_call : {false, true}) {
        LeaseDbOptions options;
        options.faults.lost_replies = 1;
        options.faults.slow_commits = 1;
        auto db = calls(0, options);
        begin(db, 1, waits_for_call ? kInserted : kPicked);
        db.shared().rows[0].pending =
            waits_for_call ? LeaseDb::Pending::kInsert : LeaseDb::Pending::kDelete;
        db.shared().locked_calls[0] = waits_for_call ? 1 : 0;
        EXPECT_EQ(db.step(1), Outcome::kContinues);
        EXPECT_TRUE(db.blocked(1));
        db.shared().rows[0] = {};
        db.shared().locked_calls[0] = 0;
        EXPECT_FALSE(db.blocked(1));
        EXPECT_EQ(db.next_stop(), -1) << "it goes on at once";
        EXPECT_EQ(db.step(1, StepFault::kLostReply), Outcome::kFailed);
        EXPECT_EQ(db.acquire(0), "ok");
        EXPECT_EQ(db.next_stop(), 2'500);
    }
}

TEST(LeaseDbPick, whose_commit_has_no_answer_is_renewed_for_ever_and_nobody_executes_it) {
    auto db = with_commit(StepFault::kLostReply, Outcome::kFailed);
    for (int renewal = 1; renewal < 20; ++renewal) {
        db.go_to(2'500 * renewal);
        EXPECT_TRUE(db.act(Doing::kSend) && db.act(Doing::kHandle) && db.act(Doing::kAnswer));
        EXPECT_EQ(db.acquire(1), "NoCall");
    }
    EXPECT_TRUE(db.holds(0));
}

TEST(LeaseDbPick, whose_commit_is_lost_ends_its_renewals_with_the_first_that_finds_no_row) {
    auto db = with_commit(StepFault::kLostRequest, Outcome::kFailed);
    EXPECT_EQ(db.shared().calls[0][0], State::kPending);
    db.go_to(2'500);
    EXPECT_TRUE(db.act(Doing::kSend) && db.act(Doing::kHandle) && db.act(Doing::kAnswer));
    EXPECT_FALSE(db.can(Doing::kSend));
    EXPECT_EQ(db.next_stop(), -1);
}

TEST(LeaseDbPick, whose_commit_has_no_answer_is_cleaned_up_by_the_repair) {
    auto db = with_commit(StepFault::kLostReply, Outcome::kContinues, kDbCleanUp);
    EXPECT_EQ(db.step(0), Outcome::kFailed);
    EXPECT_FALSE(db.holds(0));
    EXPECT_TRUE(db.act(Doing::kNotice)) << "it executes without a lease";
    EXPECT_EQ(db.acquire(1), "ok") << "the retry";
}

TEST(LeaseDbPick, of_who_dies_is_rolled_back) {
    auto db = calls();
    begin(db, 0, kRenews);
    db.die(0);
    EXPECT_EQ(db.shared().locked_calls[0], 0);
    EXPECT_EQ(db.acquire(1), "ok");
}

TEST(LeaseDbCleanUpOfCalls, inserts_no_second_retry) {
    auto db = calls();
    db.shared().calls[0] = {State::kExecuting, State::kSucceeded};
    EXPECT_TRUE(db.act(Doing::kNotice));
    EXPECT_EQ(db.shared().calls[0][0], State::kFailed);
    EXPECT_EQ(db.shared().calls[0][1], State::kSucceeded);
}

TEST(LeaseDbCall, that_has_succeeded_makes_nobody_wait_for_the_delete_of_its_lease) {
    auto db = calls();
    EXPECT_EQ(db.acquire(0), "ok");
    db.shared().calls[0][0] = LeaseDb::CallState::kSucceeded;
    db.shared().rows[0].pending = LeaseDb::Pending::kDelete;
    EXPECT_EQ(db.acquire(1), "NoCall");
}

TEST(LeaseDbCall, whose_first_renewal_is_given_up_before_the_commit_is_not_acquired) {
    auto db = with_commit(StepFault::kSlowCommit, Outcome::kContinues);
    db.go_to(2'500);
    EXPECT_TRUE(db.act(Doing::kSend));
    db.go_to(5'000);
    EXPECT_TRUE(db.act(Doing::kGiveUp)) << "the request travels on";
    EXPECT_EQ(db.step(0), Outcome::kFailed);
    EXPECT_EQ(db.last_error(), "LeaseLost");
}

TEST(LeaseDbCall, that_is_lost_by_an_answer_from_before_its_commit_is_cleaned_up) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kDbCleanUp}}) {
        auto db = with_commit(StepFault::kSlowCommit, Outcome::kContinues, repairs);
        db.go_to(2'500);
        EXPECT_TRUE(db.act(Doing::kSend) && db.act(Doing::kHandle)) << "not committed: no row";
        EXPECT_EQ(db.step(0), Outcome::kAcquired);
        EXPECT_TRUE(db.act(Doing::kAnswer) && db.last().is(kLost));
        EXPECT_TRUE(db.holds(0));
        EXPECT_EQ(db.act(Doing::kCleanUp), repairs != 0);
        EXPECT_EQ(db.holds(0), repairs == 0);
    }
}

TEST(LeaseDbCompletion, that_is_not_committed_is_seen_by_nobody_and_keeps_the_clean_up_away) {
    LeaseDbOptions options;
    options.faults.slow_commits = 1;
    auto db = calls(0, options);
    EXPECT_EQ(db.acquire(0), "ok");
    db.begin(0, kCompleteIt);
    EXPECT_EQ(db.step(0, StepFault::kSlowCommit), Outcome::kContinues);
    EXPECT_EQ(db.shared().calls[0][0], State::kExecuting);
    db.shared().rows[0] = {};
    EXPECT_FALSE(db.can(Doing::kNotice)) << "the clean-up waits for the COMMIT";
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_EQ(db.shared().calls[0][0], State::kSucceeded);
    EXPECT_FALSE(db.can(Doing::kNotice));
}

TEST(LeaseDbCompletion, whose_request_or_answer_is_lost_ends_as_an_error_and_leaves_the_lease) {
    for (const auto& [fault, state] : {std::pair{StepFault::kLostRequest, State::kExecuting},
                                       {StepFault::kLostReply, State::kSucceeded}}) {
        LeaseDbOptions options;
        options.faults.lost_requests = 1;
        options.faults.lost_replies = 1;
        auto db = calls(0, options);
        EXPECT_EQ(db.acquire(0), "ok");
        EXPECT_EQ(db.call(0, kCompleteIt, fault), "DbError");
        EXPECT_EQ(db.shared().calls[0][0], state);
        EXPECT_TRUE(db.holds(0));
        EXPECT_EQ(db.record(0).renewal[0].phase, Phase::kNone) << "and nobody renews it";
    }
}

}  // namespace
}  // namespace lockkeeper::leases
