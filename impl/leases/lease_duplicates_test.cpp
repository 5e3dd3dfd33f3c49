// SPDX-License-Identifier: Apache-2.0

// Requests to the coordinator and to the database leases that come twice, notifications that do,
// clients that start again, and clocks of clients that jump.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_coordinator.hpp"
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

Clients<LeaseCoordinator> coordinator(std::uint16_t repairs = 0,
                                      LeaseCoordinatorOptions options = {}) {
    options.faults.copies = Copies::of(1, 1);
    options.repairs = repairs;
    options = with_clients(std::move(options));
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    return Clients<LeaseCoordinator>(LeaseCoordinator(options));
}

Clients<LeaseDb> database(std::uint16_t repairs = 0, LeaseDbOptions options = {}) {
    options.faults.copies = Copies::of(1, 1);
    options.repairs = repairs;
    return Clients<LeaseDb>(LeaseDb(with_clients(std::move(options))));
}

constexpr unsigned bit(StepFault fault) { return 1U << static_cast<unsigned>(fault); }
constexpr Operation kAcquire{.verb = Verb::kAcquire};

TEST(DuplicateInsert, that_is_sent_again_conflicts_with_its_own_row) {
    auto leases = coordinator();
    EXPECT_EQ(leases.acquire(0, 0, StepFault::kSentAgain), "Conflict");
    EXPECT_TRUE(leases.holds(0));
    auto rows = database();
    EXPECT_EQ(rows.acquire(0, 0, StepFault::kSentAgain), "Conflict");
    EXPECT_TRUE(rows.holds(0));
}

TEST(DuplicateInsert, that_is_applied_once_is_answered_as_the_first_time) {
    auto leases = coordinator(kCoAppliedOnce);
    EXPECT_EQ(leases.acquire(0, 0, StepFault::kSentAgain), "ok");
    EXPECT_EQ(leases.acquire(1), "Conflict");
    EXPECT_EQ(leases.release(0), "ok");
    auto rows = database(kDbAppliedOnce | kDbOwnDeadline);
    EXPECT_EQ(rows.acquire(0, 0, StepFault::kSentAgain), "ok");
    EXPECT_EQ(rows.acquire(1), "Conflict");
    EXPECT_EQ(rows.release(0), "ok");
}

TEST(DuplicateInsert, counts_its_deadline_from_when_it_was_sent_first) {
    LeaseDbOptions options;
    options.grace = 10;
    auto rows = database(kDbAppliedOnce | kDbOwnDeadline, options);
    rows.begin(0, kAcquire);
    EXPECT_EQ(rows.step(0, StepFault::kSentAgain), Outcome::kContinues);
    rows.go_to(100);
    EXPECT_EQ(rows.step(0), Outcome::kAcquired);
    EXPECT_EQ(rows.record(0).deadline[0], kBeginning + options.ttl - options.grace);
}

TEST(DuplicateInsert, whose_copy_comes_after_the_release_leaves_a_row_for_nobody) {
    auto leases = coordinator();
    EXPECT_EQ(leases.acquire(0, 0, StepFault::kCopied), "ok");
    EXPECT_EQ(leases.release(0), "ok");
    EXPECT_TRUE(leases.act(Doing::kLate, 0));
    EXPECT_EQ(leases.acquire(1), "Conflict");
    auto rows = database();
    EXPECT_EQ(rows.acquire(0, 0, StepFault::kCopied), "ok");
    EXPECT_EQ(rows.release(0), "ok");
    EXPECT_TRUE(rows.act(Doing::kLate, 0));
    EXPECT_EQ(rows.acquire(1), "Conflict");
}

TEST(DuplicateInsert, whose_copy_finds_the_row_there_changes_nothing) {
    auto leases = coordinator();
    EXPECT_EQ(leases.acquire(0, 0, StepFault::kCopied), "ok");
    EXPECT_TRUE(leases.act(Doing::kLate, 0));
    EXPECT_TRUE(leases.holds(0));
    EXPECT_EQ(leases.release(0), "ok");
    EXPECT_EQ(leases.acquire(1), "ok");
}

TEST(DuplicateInsert, has_no_copy_that_could_be_applied_when_it_is_applied_once) {
    auto leases = coordinator(kCoAppliedOnce);
    leases.begin(0, kAcquire);
    EXPECT_EQ(leases.faults(0) & bit(StepFault::kCopied), 0U);
    EXPECT_NE(leases.faults(0) & bit(StepFault::kSentAgain), 0U);
    auto rows = database(kDbAppliedOnce);
    rows.begin(0, kAcquire);
    EXPECT_EQ(rows.faults(0) & bit(StepFault::kCopied), 0U);
}

TEST(DuplicateInsert, that_is_lost_the_second_time_is_cleaned_up_by_its_first_token) {
    LeaseCoordinatorOptions options;
    options.faults.lost_requests = 1;
    auto leases = coordinator(kCoCleanUp, options);
    leases.begin(0, kAcquire);
    EXPECT_EQ(leases.step(0, StepFault::kSentAgain), Outcome::kContinues);
    EXPECT_TRUE(leases.holds(0));
    EXPECT_EQ(leases.step(0, StepFault::kLostRequest), Outcome::kContinues);
    EXPECT_EQ(leases.step(0), Outcome::kFailed);
    EXPECT_EQ(leases.acquire(1), "ok") << "the row is deleted";
}

TEST(DuplicateRelease, writes_the_business_data_a_second_time_outside_of_the_lease) {
    const Operation release{.verb = Verb::kRelease};
    auto leases = coordinator();
    EXPECT_EQ(leases.acquire(0), "ok");
    leases.begin(0, release);
    EXPECT_EQ(leases.step(0, StepFault::kSentAgain), Outcome::kContinues);
    EXPECT_EQ(leases.acquire(1), "ok");
    EXPECT_EQ(leases.step(0), Outcome::kReleased);
    EXPECT_TRUE(leases.last().is(kEffect));
    EXPECT_FALSE(leases.last().is(Breach::kFalseOk)) << "that the row is gone is its own doing";
    EXPECT_TRUE(leases.holds(1));
}

TEST(DuplicateRelease, that_is_applied_once_writes_nothing_and_says_ok) {
    for (const bool once : {false, true}) {
        auto leases = coordinator(
            static_cast<std::uint16_t>(kCoCheckedRelease | (once ? unsigned{kCoAppliedOnce} : 0U)));
        EXPECT_EQ(leases.acquire(0), "ok");
        EXPECT_EQ(leases.release(0, 0, StepFault::kSentAgain), once ? "ok" : "LeaseLost");
        EXPECT_FALSE(leases.last().is(kEffect));
    }
}

TEST(DuplicateNotification, wakes_who_waits_once_more) {
    LeaseCoordinatorOptions options;
    options.wait = 300;
    auto leases = coordinator(0, options);
    EXPECT_EQ(leases.acquire(0), "ok");
    EXPECT_EQ(leases.release(0), "ok");
    EXPECT_EQ(leases.acquire(1), "ok");
    EXPECT_FALSE(leases.disturb(Disturbance::kNotifyAgain)) << "nobody waits";
    EXPECT_EQ(leases.acquire(0), "blocked");
    EXPECT_TRUE(leases.disturb(Disturbance::kNotifyAgain));
    EXPECT_FALSE(leases.blocked(0));
    EXPECT_EQ(leases.step(0), Outcome::kContinues);
    EXPECT_EQ(leases.step(0), Outcome::kContinues);
    EXPECT_TRUE(leases.blocked(0)) << "it conflicts, and waits again";
}

TEST(ClientClock, that_jumps_back_moves_when_the_holder_gives_up) {
    LeaseCoordinatorOptions options;
    options.grace = 10;
    options.jump = 7;
    options.faults.client_clock_jumps = 1;
    auto leases = coordinator(0, options);
    EXPECT_EQ(leases.acquire(0), "ok");
    EXPECT_EQ(leases.next_stop(), options.ttl - options.grace);
    EXPECT_TRUE(leases.disturb(Disturbance::kClientBack, 0));
    EXPECT_EQ(leases.next_stop(), options.ttl - options.grace + 7);
}

TEST(ClientRestart, waits_for_what_the_dead_one_has_under_way_and_keeps_its_clock) {
    LeaseCoordinatorOptions options = with_clients(LeaseCoordinatorOptions{});
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    const LeaseCoordinator lease(options);
    auto shared = lease.initial_shared();
    LeaseCoordinator::Record record{};
    record.clock = 3;
    record.late_by[0] = kBeginning + 1;
    EXPECT_FALSE(lease.can_restart(shared, record));
    record.late_by[0] = 0;
    record.late_token[0] = 5;
    EXPECT_TRUE(lease.can_restart(shared, record));
    lease.on_restart(shared, record);
    EXPECT_EQ(record.late_token[0], 0) << "the row is nobody's now";
    EXPECT_EQ(record.clock, 3);
}

}  // namespace
}  // namespace lockkeeper::leases
