// SPDX-License-Identifier: Apache-2.0

// The database leases: controllers that ask and renew for their clients, and the order of picks.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

// Callers 0 and 1 have controller 1, caller 2 has controller 2.
Clients<LeaseDb> controlled(LeaseDbOptions options = {}) {
    options = with_clients(std::move(options));
    options.clients[0].controller = options.clients[1].controller = 1;
    options.clients[2].controller = 2;
    options.faults.restarts = 1;
    return Clients<LeaseDb>(LeaseDb(options));
}

bool crash(Clients<LeaseDb>& db, std::size_t controller) {
    return db.disturb(Disturbance::kCrashController, 0, controller - 1);
}

TEST(LeaseDbController, takes_the_renewals_of_all_of_its_clients_with_it) {
    auto db = controlled();
    EXPECT_EQ(db.acquire(0, 0), "ok");
    EXPECT_EQ(db.acquire(2, 1), "ok");
    EXPECT_TRUE(crash(db, 1));
    EXPECT_FALSE(db.last().is(kLost)) << "nobody tells its client";
    db.go_to(2'500);
    EXPECT_FALSE(db.can(Doing::kSend, 0, 0));
    EXPECT_TRUE(db.can(Doing::kSend, 2, 1)) << "the other controller lives";
    EXPECT_TRUE(db.holds(0));
    EXPECT_EQ(db.release(0), "ok") << "through the fresh controller, by its token";
}

TEST(LeaseDbController, rolls_back_what_it_had_not_committed_and_its_client_has_no_answer) {
    LeaseDbOptions options;
    options.calls = true;
    auto db = controlled(options);
    db.begin(1, kAcquireIt);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_NE(db.shared().rows[0].token, 0);
    EXPECT_TRUE(crash(db, 1));
    EXPECT_EQ(db.shared().rows[0].token, 0);
    EXPECT_EQ(db.shared().locked_calls[0], 0);
    EXPECT_EQ(db.faults(1), 0U);
    EXPECT_EQ(db.step(1), Outcome::kFailed);
    EXPECT_EQ(db.last_error(), "ControllerLost");
    EXPECT_EQ(db.acquire(1), "ok") << "the fresh one answers";
}

TEST(LeaseDbController, frees_who_waited_for_it) {
    LeaseDbOptions options;
    options.faults.slow_commits = 1;
    auto db = controlled(options);
    db.begin(0, kAcquireIt);
    EXPECT_EQ(db.step(0, StepFault::kSlowCommit), Outcome::kContinues);
    db.begin(2, kAcquireIt);
    EXPECT_EQ(db.step(2), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(2));
    EXPECT_TRUE(crash(db, 1));
    EXPECT_FALSE(db.blocked(2));
    EXPECT_EQ(db.step(2), Outcome::kAcquired);
}

TEST(LeaseDbController, that_crashes_while_its_statement_waits_is_missed_at_once) {
    LeaseDbOptions options;
    options.faults.slow_commits = 1;
    auto db = controlled(options);
    db.begin(2, kAcquireIt);
    EXPECT_EQ(db.step(2, StepFault::kSlowCommit), Outcome::kContinues);
    db.begin(0, kAcquireIt);
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(0));
    EXPECT_TRUE(crash(db, 1));
    EXPECT_FALSE(db.blocked(0));
    EXPECT_EQ(db.step(0), Outcome::kFailed);
    EXPECT_EQ(db.last_error(), "ControllerLost");
    EXPECT_EQ(db.step(2), Outcome::kAcquired) << "and what others had inserted stays";
}

TEST(LeaseDbController, leaves_a_row_whose_answer_it_has_not_given_unless_that_is_cleaned_up) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kDbCleanUp}}) {
        LeaseDbOptions options;
        options.delay = 100;
        options.repairs = repairs;
        auto db = controlled(options);
        db.begin(0, kAcquireIt);
        EXPECT_EQ(db.step(0), Outcome::kContinues) << "committed, and not answered";
        EXPECT_TRUE(crash(db, 1));
        EXPECT_EQ(db.step(0), repairs == 0 ? Outcome::kFailed : Outcome::kContinues);
        if (repairs != 0) {
            EXPECT_EQ(db.step(0), Outcome::kFailed);
        }
        EXPECT_EQ(db.last_error(), "ControllerLost");
        EXPECT_EQ(db.shared().rows[0].token != 0, repairs == 0);
    }
}

TEST(LeaseDbController, whose_stream_ends_tells_its_client_unless_nobody_looks) {
    for (const bool singleton : {false, true}) {
        LeaseDbOptions options;
        options.stream_end = 700;
        options.singleton = singleton;
        auto db = controlled(options);
        EXPECT_EQ(db.acquire(0), "ok");
        EXPECT_TRUE(crash(db, 1));
        EXPECT_FALSE(db.can(Doing::kDeadline));
        EXPECT_EQ(db.next_stop(), 700);
        db.go_to(700);
        EXPECT_TRUE(db.act(Doing::kDeadline));
        EXPECT_EQ(db.last().is(kLost), !singleton);
    }
}

TEST(LeaseDbController, that_crashes_leaves_its_client_its_own_deadline) {
    LeaseDbOptions options;
    options.repairs = kDbOwnDeadline;
    options.grace = 10;
    auto db = controlled(options);
    EXPECT_EQ(db.acquire(0), "ok");
    EXPECT_TRUE(crash(db, 1));
    db.go_to(4'990);
    EXPECT_TRUE(db.act(Doing::kDeadline));
    EXPECT_TRUE(db.last().is(kLost));
}

TEST(LeaseDbPick, gets_the_oldest_pending_call_or_is_told_that_it_is_another) {
    LeaseDbOptions options;
    options.calls = true;
    options.oldest_first = true;
    auto db = controlled(options);
    EXPECT_EQ(db.acquire(0, 1), "OtherCall");
    EXPECT_EQ(db.acquire(0, 0), "ok");
    EXPECT_EQ(db.acquire(1, 0), "OtherCall") << "the second call is the oldest now";
    db.shared().calls[0] = {LeaseDb::CallState::kFailed, LeaseDb::CallState::kPending};
    EXPECT_EQ(db.acquire(1, 0), "OtherCall") << "a retry is younger than a first try";
    EXPECT_EQ(db.acquire(1, 1), "ok");
    db.shared().calls[0][1] = LeaseDb::CallState::kNone;
    EXPECT_EQ(db.acquire(2, 1), "NoCall");
}

}  // namespace
}  // namespace lockkeeper::leases
