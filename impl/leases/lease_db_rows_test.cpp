// SPDX-License-Identifier: Apache-2.0

// The database leases: statements that wait for their row.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

constexpr Operation kReleaseIt{.verb = Verb::kRelease};

// Caller 0 has the lease, and its renewal, sent at 2500, waits for the row since 3000.
Clients<LeaseDb> with_renewal_that_waits(LeaseDbOptions options = {}) {
    options.delay = 500;
    options.faults.row_locks = 1;
    options.faults.resets = 1;
    options.faults.slow_commits = 1;
    Clients<LeaseDb> db(LeaseDb(with_clients(std::move(options))));
    db.begin(0, {.verb = Verb::kAcquire});
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_EQ(db.step(0), Outcome::kAcquired);
    db.go_to(2'500);
    EXPECT_TRUE(db.act(Doing::kSend));
    EXPECT_TRUE(db.disturb(Disturbance::kLockRow));
    db.go_to(3'000);
    EXPECT_TRUE(db.act(Doing::kHandle));
    EXPECT_FALSE(db.can(Doing::kAnswer)) << "it waits";
    return db;
}

TEST(LeaseDbRenewal, that_has_waited_for_its_row_grants_a_ttl_from_its_beginning) {
    auto db = with_renewal_that_waits();
    EXPECT_FALSE(db.can(Doing::kHandle));
    db.go_to(4'900);
    EXPECT_EQ(db.shared().rows[0].expires, kBeginning + 5'000);
    db.shared().clock = 10;  // jumped: the transaction has read it before
    EXPECT_TRUE(db.act(Doing::kUnlock));
    EXPECT_EQ(db.next_stop(), -1) << "the server goes on with it at once";
    EXPECT_TRUE(db.act(Doing::kHandle));
    EXPECT_EQ(db.shared().rows[0].expires, kBeginning + 8'000);
    EXPECT_TRUE(db.act(Doing::kAnswer));
    EXPECT_EQ(db.record(0).renewal[0].at, kBeginning + 7'400) << "the next one is due";
}

TEST(LeaseDbRenewal, that_waits_is_cut_by_its_time_out_and_changes_nothing) {
    auto db = with_renewal_that_waits();
    EXPECT_FALSE(db.can(Doing::kCut));
    db.go_to(5'000);
    EXPECT_TRUE(db.can(Doing::kGiveUp)) << "its client has a timer, too";
    EXPECT_TRUE(db.act(Doing::kCut));
    EXPECT_TRUE(db.act(Doing::kUnlock));
    EXPECT_FALSE(db.can(Doing::kHandle));
    EXPECT_EQ(db.shared().rows[0].expires, kBeginning + 5'000);
    EXPECT_TRUE(db.act(Doing::kGiveUp));
    EXPECT_TRUE(db.last().is(kLost));
}

TEST(LeaseDbRenewal, that_its_client_has_given_up_waits_on_until_the_server_cuts_it) {
    for (const bool cut : {false, true}) {
        auto db = with_renewal_that_waits();
        db.go_to(5'000);
        EXPECT_TRUE(db.act(Doing::kGiveUp));
        EXPECT_EQ(db.next_stop(), 5'001);
        db.go_to(5'500);
        EXPECT_EQ(db.next_stop(), -1) << "the server's time-out";
        EXPECT_TRUE(db.act(cut ? Doing::kCut : Doing::kUnlock));
        EXPECT_EQ(db.act(Doing::kHandle), !cut);
        EXPECT_EQ(db.shared().rows[0].expires, kBeginning + (cut ? 5'000 : 8'000));
        EXPECT_FALSE(db.can(Doing::kAnswer)) << "nobody reads it";
    }
}

TEST(LeaseDbRenewal, that_waits_goes_with_its_connection_if_the_server_notices) {
    for (const bool notices : {false, true}) {
        auto db = with_renewal_that_waits();
        EXPECT_TRUE(db.disturb(notices ? Disturbance::kReset : Disturbance::kHalfReset));
        EXPECT_TRUE(db.last().is(kLost));
        EXPECT_TRUE(db.act(Doing::kUnlock));
        EXPECT_EQ(db.act(Doing::kHandle), !notices);
    }
}

TEST(LeaseDbRenewal, that_waits_for_the_delete_of_its_own_client_goes_on_when_that_is_rolled_back) {
    for (const bool dies : {false, true}) {
        LeaseDbOptions options;
        options.faults.slow_commits = 1;
        options.delay = 500;
        Clients<LeaseDb> db(LeaseDb(with_clients(options)));
        db.begin(0, {.verb = Verb::kAcquire});
        EXPECT_EQ(db.step(0), Outcome::kContinues);
        EXPECT_EQ(db.step(0), Outcome::kAcquired);
        db.go_to(2'500);
        EXPECT_TRUE(db.act(Doing::kSend));
        db.begin(0, kReleaseIt);
        EXPECT_EQ(db.step(0, StepFault::kSlowCommit), Outcome::kContinues);
        EXPECT_TRUE(db.act(Doing::kHandle));
        EXPECT_FALSE(db.can(Doing::kHandle)) << "it waits";
        if (dies) {
            db.die(0);
        } else {
            EXPECT_EQ(db.step(0), Outcome::kReleased);
        }
        EXPECT_TRUE(db.act(Doing::kHandle));
        EXPECT_EQ(db.shared().rows[0].expires, dies ? kBeginning + 7'500 : 0);
        EXPECT_EQ(db.record(0).token[0], 0) << "nobody's any more";
    }
}

TEST(LeaseDbRelease, waits_for_a_row_that_somebody_looks_at) {
    auto db = with_renewal_that_waits();
    db.begin(0, kReleaseIt);
    EXPECT_EQ(db.faults(0), 0U) << "it waits, and has no answer";
    EXPECT_EQ(db.step(0), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(0));
    EXPECT_TRUE(db.act(Doing::kUnlock));
    EXPECT_FALSE(db.blocked(0));
    EXPECT_EQ(db.faults(0), 1U << static_cast<unsigned>(StepFault::kSlowCommit));
    EXPECT_EQ(db.next_stop(), -1) << "the server goes on with it at once";
    EXPECT_EQ(db.step(0), Outcome::kReleased);
    EXPECT_TRUE(db.act(Doing::kHandle)) << "and the renewal that has waited finds nothing";
    EXPECT_EQ(db.shared().rows[0].token, 0);
}

TEST(LeaseDbRow, that_somebody_looks_at_is_a_conflict_at_once_and_is_not_reaped) {
    auto db = with_renewal_that_waits();
    EXPECT_EQ(db.acquire(1), "Conflict");
    db.go_to(5'001);
    EXPECT_FALSE(db.can(Doing::kReap));
    EXPECT_TRUE(db.act(Doing::kUnlock));
    EXPECT_TRUE(db.can(Doing::kReap));
    EXPECT_TRUE(db.can(Doing::kHandle)) << "they come one after the other";
}

TEST(LeaseDbCleanUp, waits_for_a_row_that_somebody_looks_at) {
    LeaseDbOptions options;
    options.repairs = kDbCleanUp;
    auto db = with_renewal_that_waits(options);
    db.go_to(5'000);
    EXPECT_TRUE(db.act(Doing::kGiveUp));
    EXPECT_FALSE(db.can(Doing::kCleanUp));
    EXPECT_TRUE(db.act(Doing::kUnlock));
    EXPECT_TRUE(db.act(Doing::kCleanUp));
    EXPECT_TRUE(db.act(Doing::kHandle));
    EXPECT_EQ(db.shared().rows[0].token, 0);
}

}  // namespace
}  // namespace lockkeeper::leases
