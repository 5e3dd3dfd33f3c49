// SPDX-License-Identifier: Apache-2.0

// Updates that come twice, or after their error; clocks that drift; clients that start again.
#include <gtest/gtest.h>

#include "impl/monglock/clients_test.hpp"
#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {
namespace {

using Fault = OperationFault;
using WriteLocks = testing_monglock::Clients<WriteLock>;
using MultiLocks = testing_monglock::Clients<MultiLock>;

constexpr std::int32_t kStrayPeriod = 10;

WriteLocks write_lock(std::uint16_t repairs = 0, std::vector<Client> clients = {{}, {}}) {
    WriteLockOptions options;
    options.lock_timeout = kStrayPeriod;
    options.clients = std::move(clients);
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return WriteLocks(WriteLock(options));
}

// One tag that is cooperative to itself.
MultiLocks multi_lock(std::uint16_t repairs = 0) {
    MultiLockOptions options;
    options.keys = {"write"};
    options.lock_timeouts = {kStrayPeriod};
    options.cooperative = {1};
    options.assertive = {0};
    options.clients = {{}, {}};
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return MultiLocks(MultiLock(options));
}

std::string release_stray(WriteLocks& clients, std::size_t caller, Fault fault = {}) {
    return clients.call(
        caller,
        {.verb = Verb::kCall, .word = static_cast<std::uint8_t>(WriteLockCall::kReleaseAny)},
        fault);
}

TEST(WriteLockSentAgain, is_refused_by_what_it_has_locked_itself) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kSentAgain), "LockAlreadyTaken");
    EXPECT_EQ(clients.phantoms(), 1U);
}

TEST(WriteLockSentAgain, and_then_late_is_one_acquisition_that_is_cleaned_up) {
    WriteLocks faithful = write_lock();
    EXPECT_EQ(faithful.acquire_through(0, {{}, Fault::kSentAgain, Fault::kLate}), "DbError");
    EXPECT_EQ(faithful.phantoms(), 1U);
    WriteLocks repaired = write_lock(kCleanUp | kAppliedOnce);
    EXPECT_EQ(repaired.acquire_through(0, {{}, Fault::kSentAgain, Fault::kLate}), "DbError");
    EXPECT_EQ(repaired.phantoms(), 0U);
    EXPECT_FALSE(repaired.arrive());
    EXPECT_EQ(repaired.acquire_through(1, {}), "ok");
}

TEST(WriteLockSentAgain, gets_the_answer_of_a_release_that_was_lost) {
    for (const bool once : {false, true}) {
        WriteLocks clients = write_lock(
            static_cast<std::uint16_t>(kCleanUp | kCheckedRelease | (once ? kAppliedOnce : 0)));
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.release_through(0, {Fault::kAckLost}), once ? "ok" : "LockWasReacquired");
    }
}

TEST(WriteLockSentAgain, is_answered_as_the_first_time_when_it_is_applied_once) {
    WriteLocks clients = write_lock(kAppliedOnce);
    EXPECT_EQ(clients.acquire(0, 0, Fault::kSentAgain), "ok");
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken");
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_FALSE(clients.holds(0));
}

TEST(WriteLockSentAgain, releases_once_more_and_says_ok_as_long_as_nobody_has_it) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.release(0, 0, Fault::kSentAgain), "ok");
    EXPECT_FALSE(clients.last().is(Breach::kFalseOk)) << "that it is inactive is its own doing";
    EXPECT_FALSE(clients.last().is(Breach::kForeignRemoval));
}

TEST(WriteLockSentAgain, says_of_a_checked_release_that_somebody_else_has_reacquired) {
    for (const unsigned repairs :
         {unsigned{kCheckedRelease}, kCheckedRelease | unsigned{kAppliedOnce}}) {
        WriteLocks clients = write_lock(static_cast<std::uint16_t>(repairs));
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.release(0, 0, Fault::kSentAgain),
                  (repairs & kAppliedOnce) != 0 ? "ok" : "LockWasReacquired");
    }
}

TEST(WriteLockLateRequest, of_a_release_is_applied_once_whichever_of_the_two_comes_first) {
    constexpr std::uint16_t kRepairs = kCleanUp | kAppliedOnce;
    const Operation any{.verb = Verb::kCall,
                        .word = static_cast<std::uint8_t>(WriteLockCall::kReleaseAny)};
    for (const bool comes_first : {false, true}) {
        WriteLocks clients = write_lock(kRepairs);
        EXPECT_EQ(clients.acquire(0), "ok");
        clients.begin(0, any);
        clients.go_wrong(0, Fault::kLate);
        EXPECT_EQ(comes_first, comes_first && clients.arrive());
        EXPECT_EQ(clients.acquire(1), comes_first ? "ok" : "LockAlreadyTaken");
        EXPECT_EQ(clients.finish(0), "ok");
        EXPECT_FALSE(clients.last().is(Breach::kFalseOk));
        EXPECT_FALSE(clients.last().is(Breach::kForeignRemoval));
        EXPECT_EQ(clients.holds(1), comes_first);
        EXPECT_FALSE(clients.arrive()) << "once";
    }
}

TEST(WriteLockCopy, locks_for_nobody_when_it_comes_after_the_release) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kCopied), "ok");
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_EQ(clients.phantoms(), 0U);
    EXPECT_TRUE(clients.arrive());
    EXPECT_EQ(clients.phantoms(), 1U);
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken");
    EXPECT_FALSE(clients.arrive()) << "there was one";
    clients.go_to(kStrayPeriod);
    EXPECT_EQ(clients.phantoms(), 0U) << "it keeps nobody out any more";
}

TEST(WriteLockCopy, locks_for_nobody_unless_its_own_client_has_died) {
    for (const std::size_t died : {0U, 1U}) {
        WriteLocks clients = write_lock();
        EXPECT_EQ(clients.acquire(0, 0, Fault::kCopied), "ok");
        EXPECT_EQ(clients.release(0), "ok");
        clients.die(died);
        EXPECT_TRUE(clients.arrive());
        EXPECT_EQ(clients.phantoms(), died == 0 ? 0U : 1U);
        clients.restart(died);
        EXPECT_EQ(clients.phantoms(), died == 0 ? 0U : 1U) << "also when it starts again";
    }
}

TEST(WriteLockCopy, does_nothing_while_its_own_lock_stands_or_is_of_one_that_is_applied_once) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kCopied), "ok");
    EXPECT_TRUE(clients.arrive());
    EXPECT_TRUE(clients.holds(0));
    EXPECT_EQ(clients.release(0), "ok");
    WriteLocks repaired = write_lock(kAppliedOnce);
    EXPECT_EQ(repaired.acquire(0, 0, Fault::kCopied), "ok");
    EXPECT_EQ(repaired.release(0), "ok");
    EXPECT_FALSE(repaired.arrive());
}

TEST(WriteLockCopy, of_a_release_without_a_timestamp_releases_the_next_holder) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(release_stray(clients, 0, Fault::kCopied), "ok");
    clients.go_to(1);
    EXPECT_EQ(clients.acquire(1), "ok");
    EXPECT_TRUE(clients.arrive());
    EXPECT_TRUE(clients.last().is(Breach::kForeignRemoval));
    EXPECT_FALSE(clients.holds(1));
}

TEST(WriteLockCopy, of_a_release_with_a_timestamp_spares_the_next_holder) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.release(0, 0, Fault::kCopied), "ok");
    clients.go_to(1);
    EXPECT_EQ(clients.acquire(1), "ok");
    EXPECT_TRUE(clients.arrive());
    EXPECT_TRUE(clients.holds(1));
}

TEST(WriteLockLateRequest, that_has_not_come_is_no_lock_that_a_release_could_lose) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_EQ(release_stray(clients, 0), "ok");
    EXPECT_FALSE(clients.last().is(Breach::kFalseOk));
}

TEST(WriteLockLateRequest, locks_after_its_error_unless_the_clean_up_uses_up_its_id) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_EQ(clients.phantoms(), 0U);
    EXPECT_TRUE(clients.arrive());
    EXPECT_EQ(clients.phantoms(), 1U);
    WriteLocks cleaning = write_lock(kCleanUp);
    EXPECT_EQ(cleaning.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_TRUE(cleaning.arrive()) << "the clean-up came too early";
    EXPECT_EQ(cleaning.phantoms(), 1U);
    WriteLocks repaired = write_lock(kCleanUp | kAppliedOnce);
    EXPECT_EQ(repaired.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_FALSE(repaired.arrive());
}

TEST(MultiLockSentAgain, is_refused_by_its_own_entry) {
    MultiLocks clients = multi_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kSentAgain), "CooperativeLock");
    EXPECT_EQ(clients.phantoms(), 1U);
    MultiLocks repaired = multi_lock(kMultiAppliedOnce);
    EXPECT_EQ(repaired.acquire(0, 0, Fault::kSentAgain), "ok");
    EXPECT_EQ(repaired.release(0), "ok");
    EXPECT_EQ(repaired.acquire(1), "ok") << "there was one entry, and it is gone";
}

TEST(MultiLockSentAgain, and_then_late_is_one_entry_that_is_cleaned_up) {
    MultiLocks faithful = multi_lock();
    EXPECT_EQ(faithful.acquire_through(0, {{}, {}, Fault::kSentAgain, Fault::kLate}), "DbError");
    EXPECT_EQ(faithful.phantoms(), 1U);
    MultiLocks repaired = multi_lock(kMultiCleanUp | kMultiAppliedOnce);
    EXPECT_EQ(repaired.acquire_through(0, {{}, {}, Fault::kSentAgain, Fault::kLate}), "DbError");
    EXPECT_FALSE(repaired.arrive());
    EXPECT_EQ(repaired.acquire_through(1, {}), "ok");
}

TEST(MultiLockSentAgain, gets_the_answer_of_a_release_that_was_lost) {
    for (const bool once : {false, true}) {
        MultiLocks clients =
            multi_lock(static_cast<std::uint16_t>(kMultiCleanUp | (once ? kMultiAppliedOnce : 0)));
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.release_through(0, {Fault::kAckLost}), once ? "ok" : "LockNotFound");
    }
}

TEST(MultiLock, stays_what_it_was_when_a_second_acquire_of_its_holder_fails) {
    for (const unsigned repairs : {0U, unsigned{kMultiCleanUp}}) {
        MultiLocks clients = multi_lock(static_cast<std::uint16_t>(repairs));
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.acquire_through(0, {{}, {}, Fault::kNotApplied}), "DbError");
        EXPECT_TRUE(clients.holds(0));
        EXPECT_EQ(clients.release(0), "ok");
    }
}

TEST(MultiLockSentAgain, tells_of_a_release_that_there_was_no_lock) {
    for (const bool once : {false, true}) {
        MultiLocks clients = multi_lock(once ? std::uint16_t{kMultiAppliedOnce} : std::uint16_t{0});
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.release(0, 0, Fault::kSentAgain), once ? "ok" : "LockNotFound");
    }
}

TEST(MultiLockCopy, leaves_an_entry_for_nobody) {
    MultiLocks clients = multi_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kCopied), "ok");
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_TRUE(clients.arrive());
    EXPECT_EQ(clients.phantoms(), 1U);
    EXPECT_EQ(clients.acquire(1), "CooperativeLock");
    MultiLocks repaired = multi_lock(kMultiAppliedOnce);
    EXPECT_EQ(repaired.acquire(0, 0, Fault::kCopied), "ok");
    EXPECT_EQ(repaired.release(0), "ok");
    EXPECT_FALSE(repaired.arrive());
}

TEST(MultiLockCopy, leaves_an_entry_for_nobody_unless_its_own_client_has_died) {
    for (const std::size_t died : {0U, 1U}) {
        MultiLocks clients = multi_lock();
        EXPECT_EQ(clients.acquire(0, 0, Fault::kCopied), "ok");
        EXPECT_EQ(clients.release(0), "ok");
        clients.die(died);
        EXPECT_TRUE(clients.arrive());
        EXPECT_EQ(clients.phantoms(), died == 0 ? 0U : 1U);
    }
}

TEST(MultiLockLateRequest, pushes_after_its_error) {
    MultiLocks clients = multi_lock();
    EXPECT_EQ(clients.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_TRUE(clients.arrive());
    EXPECT_EQ(clients.phantoms(), 1U);
    MultiLocks repaired = multi_lock(kMultiCleanUp | kMultiAppliedOnce);
    EXPECT_EQ(repaired.acquire(0, 0, Fault::kLate), "DbError");
    EXPECT_FALSE(repaired.arrive());
}

TEST(MonglockClock, that_drifts_takes_over_as_much_earlier_as_it_has_gained) {
    WriteLocks clients = write_lock(0, {{}, {.drift = 500}});  // 3 of its 2
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.next_stop(), 6) << "just before its clock shows 10";
    clients.go_to(6);
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken") << "its clock shows 9";
    EXPECT_EQ(clients.next_stop(), 7);
    clients.go_to(7);
    EXPECT_EQ(clients.acquire(1), "ok") << "it shows 10";
}

TEST(MonglockClock, that_is_slow_takes_over_later) {
    WriteLocks clients = write_lock(0, {{}, {.drift = -500}});
    EXPECT_EQ(clients.acquire(0), "ok");
    clients.go_to(2 * kStrayPeriod - 2);
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken") << "its clock shows 9";
    clients.go_to(2 * kStrayPeriod);
    EXPECT_EQ(clients.acquire(1), "ok");
}

TEST(MonglockRestart, leaves_the_lock_of_the_dead_one_and_knows_nothing_of_it) {
    WriteLocks clients = write_lock();
    EXPECT_EQ(clients.acquire(0), "ok");
    clients.restart(0);
    EXPECT_FALSE(clients.holds(0));
    EXPECT_EQ(clients.phantoms(), 0U);
    EXPECT_EQ(clients.acquire(0), "LockAlreadyTaken");
    clients.go_to(kStrayPeriod);
    EXPECT_EQ(clients.acquire(0), "ok");
}

}  // namespace
}  // namespace lockkeeper::monglock
