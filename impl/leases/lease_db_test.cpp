// SPDX-License-Identifier: Apache-2.0

// The database leases, one call after the other: the boundaries of their times, and a naive twin.
#include "impl/leases/lease_db.hpp"

#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/planted_bugs.hpp"

namespace lockkeeper::leases {
namespace {

Clients<LeaseDb> db_clients(LeaseDbOptions options = {}) {
    return Clients<LeaseDb>(LeaseDb(with_clients(std::move(options))));
}

TEST(LeaseDbAcquire, of_a_key_that_has_a_row_conflicts_even_when_it_has_expired) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    EXPECT_EQ(db.acquire(1), "Conflict");
    db.go_to(20'000);
    EXPECT_FALSE(db.holds(0));
    EXPECT_EQ(db.acquire(1), "Conflict");
}

TEST(LeaseDbAcquire, rejects_a_ttl_below_5_seconds) {
    for (const auto& [ttl, result] :
         {std::pair{1'000, "TtlTooShort"}, {4'999, "TtlTooShort"}, {5'000, "ok"}}) {
        LeaseDbOptions options;
        options.ttl = ttl;
        EXPECT_EQ(db_clients(options).acquire(0), result) << ttl;
    }
}

TEST(LeaseDbAcquire, that_waited_for_a_commit_has_the_time_of_its_beginning) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    db.shared().rows[0].pending = LeaseDb::Pending::kDelete;
    db.begin(1, kAcquireIt);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    EXPECT_TRUE(db.blocked(1));
    db.go_to(7'000);
    db.shared().clock = 10;  // jumped: the transaction has read it before
    db.shared().rows[0] = {};
    EXPECT_FALSE(db.blocked(1));
    EXPECT_EQ(db.step(1), Outcome::kAcquired);
    EXPECT_EQ(db.shared().rows[0].expires, kBeginning + 5'000) << "expired when it was inserted";
    EXPECT_FALSE(db.holds(1));
}

TEST(LeaseDbAcquire, that_waited_may_lose_its_answer_and_not_its_request) {
    LeaseDbOptions options;
    options.faults.lost_requests = 1;
    options.faults.lost_replies = 1;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0), "ok");
    db.shared().rows[0].pending = LeaseDb::Pending::kDelete;
    db.begin(1, kAcquireIt);
    EXPECT_EQ(db.step(1), Outcome::kContinues);
    db.shared().rows[0] = {};
    EXPECT_EQ(db.faults(1), 1U << static_cast<unsigned>(StepFault::kLostReply));
    EXPECT_EQ(db.step(1, StepFault::kLostReply), Outcome::kFailed);
    EXPECT_TRUE(db.holds(1));
}

TEST(LeaseDbConnection, that_breaks_under_a_renewal_tells_the_holder_at_once) {
    for (const bool arrives : {false, true}) {
        LeaseDbOptions options;
        options.faults.resets = 1;
        auto db = db_clients(options);
        EXPECT_EQ(db.acquire(0), "ok");
        EXPECT_FALSE(db.disturb(Disturbance::kReset)) << "nothing is under way";
        db.go_to(2'500);
        EXPECT_TRUE(db.act(Doing::kSend));
        EXPECT_TRUE(db.disturb(arrives ? Disturbance::kHalfReset : Disturbance::kReset));
        EXPECT_TRUE(db.last().is(kLost));
        EXPECT_EQ(db.act(Doing::kHandle), arrives);
        EXPECT_EQ(db.shared().rows[0].expires, kBeginning + (arrives ? 7'500 : 5'000));
    }
}

TEST(LeaseDbSingleton, is_told_of_no_loss_and_renews_no_more) {
    for (const bool singleton : {false, true}) {
        LeaseDbOptions options;
        options.singleton = singleton;
        auto db = db_clients(options);
        EXPECT_EQ(db.acquire(0), "ok");
        db.go_to(8'000);
        EXPECT_TRUE(db.act(Doing::kReap));
        EXPECT_EQ(db.acquire(1), "ok");
        EXPECT_TRUE(db.act(Doing::kSend) && db.act(Doing::kHandle) && db.act(Doing::kAnswer));
        EXPECT_EQ(db.last().is(kLost), !singleton);
        EXPECT_FALSE(db.can(Doing::kSend));
    }
}

TEST(LeaseDbReapingTask, is_the_only_one_that_reaps_and_its_own_row_stays_when_it_dies) {
    LeaseDbOptions options;
    options.reaped_by_task = true;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0), "ok");
    EXPECT_EQ(db.acquire(1, 1), "ok");
    EXPECT_EQ(db.call_word(1, LeaseDbCall::kHang, 1), "ok");
    db.go_to(5'001);
    EXPECT_FALSE(db.can(Doing::kReap));
    EXPECT_EQ(db.call_word(0, LeaseDbCall::kReapRows), "ok") << "its own row among them";
    EXPECT_EQ(db.acquire(2), "ok");
    EXPECT_EQ(db.acquire(0, 1), "ok");
    db.die(2);
    db.go_to(50'000);
    EXPECT_EQ(db.acquire(1), "Conflict") << "who might reap it cannot have it";
}

TEST(LeaseDbReapingTask, waits_for_a_delete_that_is_not_committed) {
    LeaseDbOptions options;
    options.reaped_by_task = true;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0), "ok");
    db.shared().rows[0].pending = LeaseDb::Pending::kDelete;
    db.go_to(5'001);
    EXPECT_EQ(db.call_word(1, LeaseDbCall::kReapRows), "blocked");
}

TEST(LeaseDbReap, compares_strictly) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    for (const auto& [time, expired] : {std::pair{4'999, false}, {5'000, false}, {5'001, true}}) {
        db.go_to(time);
        EXPECT_EQ(db.holds(0), !expired) << time;
        EXPECT_EQ(db.can(Doing::kReap), expired) << time;
    }
    EXPECT_TRUE(db.act(Doing::kReap));
    EXPECT_EQ(db.acquire(1), "ok");
}

TEST(LeaseDbReap, does_not_see_an_uncommitted_insert_and_waits_for_an_uncommitted_delete) {
    using Pending = LeaseDb::Pending;
    for (const auto& [pending, reaps] :
         {std::pair{Pending::kNo, true}, {Pending::kInsert, true}, {Pending::kDelete, false}}) {
        auto db = db_clients();
        EXPECT_EQ(db.acquire(0, 0), "ok");
        EXPECT_EQ(db.acquire(1, 1), "ok");
        db.shared().rows[1].pending = pending;
        db.go_to(5'001);
        EXPECT_EQ(db.act(Doing::kReap), reaps);
        EXPECT_EQ(db.shared().rows[0].token == 0, reaps);
        EXPECT_EQ(db.shared().rows[1].token != 0, pending != Pending::kNo);
    }
}

TEST(LeaseDbReap, leaves_time_alone_while_the_only_expired_row_is_not_committed) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    EXPECT_EQ(db.call_word(0, LeaseDbCall::kHang), "ok");
    db.shared().rows[0].pending = LeaseDb::Pending::kInsert;
    db.go_to(9'000);
    EXPECT_FALSE(db.can(Doing::kReap));
    db.record(0).wake = kBeginning + 9'500;
    EXPECT_EQ(db.next_stop(), 9'500);
}

TEST(LeaseDbRenewal, is_sent_after_half_of_the_ttl_and_given_up_after_the_other_half) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    db.go_to(2'499);
    EXPECT_FALSE(db.can(Doing::kSend));
    db.go_to(2'500);
    EXPECT_EQ(db.next_stop(), -1) << "time does not pass before it is sent";
    EXPECT_TRUE(db.act(Doing::kSend));
    db.record(0).renewal[0].phase = Phase::kSilent;  // lost
    EXPECT_EQ(db.next_stop(), 4'999);
    db.go_to(5'000);
    EXPECT_TRUE(db.act(Doing::kGiveUp));
    EXPECT_TRUE(db.last().is(kLost));
    EXPECT_TRUE(db.holds(0)) << "the row stays";
}

TEST(LeaseDbRenewal, revives_an_expired_row_that_nobody_has_reaped) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    db.go_to(8'000);
    EXPECT_FALSE(db.holds(0));
    EXPECT_TRUE(db.act(Doing::kSend));
    EXPECT_TRUE(db.act(Doing::kHandle));
    EXPECT_TRUE(db.holds(0));
    EXPECT_FALSE(db.act(Doing::kReap));
    EXPECT_TRUE(db.act(Doing::kAnswer));
    EXPECT_FALSE(db.last().is(kLost));
    EXPECT_EQ(db.release(0), "ok");
}

TEST(LeaseDbRenewal, of_a_reaped_row_finds_nothing) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    db.go_to(8'000);
    EXPECT_TRUE(db.act(Doing::kReap));
    EXPECT_EQ(db.acquire(1), "ok");
    EXPECT_TRUE(db.act(Doing::kSend));
    EXPECT_TRUE(db.act(Doing::kHandle));
    EXPECT_TRUE(db.act(Doing::kAnswer));
    EXPECT_TRUE(db.last().is(kLost));
    EXPECT_TRUE(db.holds(1)) << "and leaves the other's row alone";
}

TEST(LeaseDbRelease, says_when_the_row_had_been_lost_and_leaves_the_other_row_alone) {
    auto db = db_clients();
    EXPECT_EQ(db.acquire(0), "ok");
    db.go_to(5'001);
    EXPECT_TRUE(db.act(Doing::kReap));
    EXPECT_EQ(db.acquire(1), "ok");
    EXPECT_EQ(db.release(0), "LeaseLost");
    EXPECT_TRUE(db.holds(1));
    EXPECT_EQ(db.release(1), "ok");
}

TEST(LeaseDbRelease, that_says_ok_whatever_it_finds_is_seen_by_the_monitor) {
    LeaseDbOptions options;
    plant(lease_db_bugs(), "ignores_row_count", options);
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0), "ok");
    db.go_to(5'001);
    EXPECT_TRUE(db.act(Doing::kReap));
    EXPECT_EQ(db.release(0), "ok");
    EXPECT_TRUE(db.last().is(Breach::kFalseOk));
}

TEST(LeaseDbFault, of_a_request_changes_nothing_and_of_an_answer_leaves_the_row) {
    LeaseDbOptions options;
    options.faults.lost_requests = 1;
    options.faults.lost_replies = 1;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0, 0, StepFault::kLostRequest), "DbError");
    EXPECT_FALSE(db.holds(0));
    EXPECT_EQ(db.acquire(0, 0, StepFault::kLostReply), "DbError");
    EXPECT_TRUE(db.holds(0));
}

TEST(LeaseDbCleanUp, removes_what_a_lost_answer_left) {
    LeaseDbOptions options;
    options.faults.lost_replies = 1;
    options.repairs = kDbCleanUp;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0, 0, StepFault::kLostReply), "DbError");
    EXPECT_EQ(db.acquire(1), "ok");
}

TEST(LeaseDbLateInsert, comes_after_its_error_unless_a_tombstone_waits_for_it) {
    for (const std::uint16_t repairs :
         {std::uint16_t{0}, std::uint16_t{kDbCleanUp}, std::uint16_t{kDbCleanUp | kDbTombstones}}) {
        const bool comes = (repairs & kDbTombstones) == 0;
        LeaseDbOptions options;
        options.faults.late_requests = 1;
        options.repairs = repairs;
        auto db = db_clients(options);
        EXPECT_EQ(db.acquire(0, 0, StepFault::kLateRequest), "DbError");
        EXPECT_EQ(db.shared().rows[0].token, 0) << "not yet";
        EXPECT_EQ(db.act(Doing::kLate), comes);
        EXPECT_EQ(db.acquire(1), comes ? "Conflict" : "ok");
        EXPECT_FALSE(db.can(Doing::kSend)) << "nobody renews it";
    }
}

TEST(LeaseDbLateInsert, that_finds_a_row_does_nothing) {
    LeaseDbOptions options;
    options.faults.late_requests = 1;
    auto db = db_clients(options);
    EXPECT_EQ(db.acquire(0, 0, StepFault::kLateRequest), "DbError");
    EXPECT_EQ(db.acquire(1), "ok");
    EXPECT_TRUE(db.act(Doing::kLate));
    EXPECT_TRUE(db.holds(1));
    EXPECT_EQ(db.release(1), "ok");
    EXPECT_FALSE(db.can(Doing::kLate));
}

// A table in ten lines: whose row, and until when. Nobody renews.
struct NaiveDbTable {
    struct Row {
        std::size_t owner;
        std::int32_t expires;
    };
    std::optional<Row> row;
    std::array<bool, 3> believes{};

    std::string acquire(std::size_t caller, std::int32_t now) {
        if (row) {
            return "Conflict";
        }
        row = Row{caller, now + 5'000};
        believes[caller] = true;
        return "ok";
    }
    std::string release(std::size_t caller) {
        const bool own = row && row->owner == caller && believes[caller];
        believes[caller] = false;
        if (own) {
            row.reset();
        }
        return own ? "ok" : "LeaseLost";
    }
    void reap(std::int32_t now) {
        if (row && row->expires < now) {
            believes[row->owner] = false;  // its row is gone for ever
            row.reset();
        }
    }
};

TEST(LeaseDbProperty, without_renewals_behaves_as_a_naive_table) {
    EXPECT_TRUE(rc::check([] {
        auto db = db_clients();
        NaiveDbTable naive;
        std::int32_t now = 0;
        const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1'000));
        for (const int step : steps) {
            const auto caller = static_cast<std::size_t>(step % 3);
            switch (step / 3 % 4) {
                case 0: {
                    const std::string expected = naive.acquire(caller, now);
                    RC_ASSERT(db.acquire(caller) == expected);
                    if (expected == "ok") {
                        static_cast<void>(db.call_word(caller, LeaseDbCall::kHang));
                    }
                    break;
                }
                case 1: RC_ASSERT(db.release(caller) == naive.release(caller)); break;
                case 2:
                    now = std::min(now + step * 7, 55'000);
                    db.go_to(now);
                    break;
                default: static_cast<void>(db.act(Doing::kReap)); naive.reap(now);
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const bool granted =
                    naive.row && naive.row->owner == i && naive.row->expires >= now;
                RC_ASSERT(db.holds(i) == granted);
            }
        }
    }));
}

}  // namespace
}  // namespace lockkeeper::leases
