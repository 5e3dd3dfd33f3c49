// SPDX-License-Identifier: Apache-2.0

// The time-out of one database operation: when the client hears of what runs out.
#include <gtest/gtest.h>

#include "impl/monglock/clients_test.hpp"
#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {
namespace {

using Fault = OperationFault;

constexpr std::int32_t kTimeout = 7;
constexpr std::int32_t kOldAfter = 10;

testing_monglock::Clients<WriteLock> write_locks(std::uint16_t repairs = 0,
                                                 std::int32_t timeout = kTimeout,
                                                 std::int32_t of_second = 0) {
    WriteLockOptions options;
    options.lock_timeout = kOldAfter;
    options.timeout = timeout;
    options.clients = {{}, {.timeout = of_second}};
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return testing_monglock::Clients<WriteLock>(WriteLock(options));
}

// One tag that is cooperative to itself.
testing_monglock::Clients<MultiLock> multi_locks(std::uint16_t repairs = 0) {
    MultiLockOptions options;
    options.keys = {"write"};
    options.lock_timeouts = {kOldAfter};
    options.cooperative = {1};
    options.assertive = {0};
    options.keeps_released = true;
    options.timeout = kTimeout;
    options.clients = {{}, {}};
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return testing_monglock::Clients<MultiLock>(MultiLock(options));
}

TEST(TimeLimit, lets_the_client_of_an_update_wait_that_nobody_acknowledges) {
    for (const Fault fault : {Fault::kAckLost, Fault::kLate}) {
        auto clients = write_locks();
        EXPECT_EQ(clients.acquire_through(0, {{}, fault}), "silent");
        EXPECT_EQ(clients.next_stop() <= kTimeout, true);
        clients.go_to(kTimeout - 1);
        EXPECT_EQ(clients.finish(0), "silent");
        clients.go_to(kTimeout);
        EXPECT_EQ(clients.finish(0), "DbError");
    }
}

TEST(TimeLimit, is_no_matter_of_an_update_that_the_database_refuses) {
    auto clients = write_locks();
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kNotApplied}), "DbError");
}

TEST(TimeLimit, of_nothing_tells_its_client_at_once) {
    auto clients = write_locks(0, 0);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "DbError");
}

TEST(TimeLimit, is_the_clients_own_where_it_gives_one) {
    auto clients = write_locks(0, kTimeout, 3);
    EXPECT_EQ(clients.acquire_through(1, {{}, Fault::kAckLost}), "silent");
    clients.go_to(3);
    EXPECT_EQ(clients.finish(1), "DbError");
}

TEST(TimeLimit, leaves_the_lock_taken_while_its_client_waits_and_after_it_until_it_is_old) {
    auto clients = write_locks();
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "silent");
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken");
    clients.go_to(kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.phantoms(), 1U);
    clients.go_to(kOldAfter);
    EXPECT_EQ(clients.phantoms(), 0U);
}

TEST(TimeLimit, as_long_as_the_locktimeout_leaves_no_phantom) {
    auto clients = write_locks(0, kOldAfter);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "silent");
    clients.go_to(kOldAfter);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.phantoms(), 0U);
}

TEST(TimeLimit, is_followed_by_the_clean_up_where_there_is_one) {
    auto clients = write_locks(kCleanUp);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "silent");
    clients.go_to(kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.phantoms(), 0U);
}

TEST(TimeLimit, of_a_release_ends_in_an_error_or_in_a_second_release) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kCleanUp}}) {
        auto clients = write_locks(repairs);
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.release_through(0, {Fault::kAckLost}), "silent");
        clients.go_to(kTimeout);
        EXPECT_EQ(clients.finish(0), repairs == 0 ? "DbError" : "ok");
        EXPECT_EQ(clients.acquire(1), "ok");
    }
}

TEST(TimeLimit, of_a_read_is_waited_for_where_the_call_returns_at_all) {
    auto faithful = write_locks();
    auto repaired = write_locks(kSettlingReads);
    for (auto* const clients : {&faithful, &repaired}) {
        EXPECT_EQ(clients->acquire(0), "ok");
        EXPECT_EQ(clients->acquire_through(1, {{}, {}, Fault::kReadFails}), "silent");
        clients->go_to(kTimeout);
    }
    EXPECT_EQ(faithful.finish(1), "silent");
    EXPECT_EQ(repaired.finish(1), "DbError");
}

TEST(TimeLimit, is_over_for_a_client_that_dies) {
    auto clients = write_locks();
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "silent");
    clients.restart(0);
    EXPECT_EQ(clients.acquire(0), "LockAlreadyTaken");
}

TEST(TimeLimit, holds_for_each_operation_of_the_multi_lock) {
    auto clients = multi_locks();
    const Operation ask{.verb = Verb::kCall,
                        .word = static_cast<std::uint8_t>(MultiLockCall::kAskAgain)};
    EXPECT_EQ(clients.acquire_through(0, {{}, {}, Fault::kAckLost}), "silent");
    clients.go_to(kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.phantoms(), 1U);
    clients.go_to(kOldAfter);
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.call_through(0, ask, {Fault::kReadFails}), "silent");
    clients.go_to(kOldAfter + kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.release_through(0, {Fault::kAckLost}), "silent");
    clients.go_to(kOldAfter + 2 * kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.acquire(1), "ok");
}

TEST(TimeLimit, of_the_multi_lock_is_followed_by_the_clean_up_where_there_is_one) {
    auto clients = multi_locks(kMultiCleanUp);
    EXPECT_EQ(clients.acquire_through(0, {{}, {}, Fault::kAckLost}), "silent");
    clients.go_to(kTimeout);
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.acquire(1), "ok");
}

}  // namespace
}  // namespace lockkeeper::monglock
