// SPDX-License-Identifier: Apache-2.0

// The option w decides which writes a fail-over may forget.
#include <gtest/gtest.h>

#include "impl/monglock/clients_test.hpp"
#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {
namespace {

using Fault = OperationFault;

Budgets failing_over(std::uint8_t failovers) {
    Budgets budgets = testing_monglock::plenty();
    budgets.failovers = failovers;
    return budgets;
}

testing_monglock::Clients<WriteLock> written(bool majority, std::uint8_t save_backs = 0) {
    WriteLockOptions options;
    options.clients = {{}, {}};
    options.majority = majority;
    options.faults = failing_over(2);
    options.faults.save_backs = save_backs;
    return testing_monglock::Clients<WriteLock>(WriteLock(options));
}

// Two documents with a tag each that is cooperative to itself.
testing_monglock::Clients<MultiLock> pushed(bool majority) {
    MultiLockOptions options;
    options.keys = {"x", "y"};
    options.lock_timeouts = {10, 10};
    options.cooperative = {1, 2};
    options.assertive = {0, 0};
    options.documents = {0, 1};
    options.clients = {{}, {}};
    options.majority = majority;
    options.faults = failing_over(1);
    return testing_monglock::Clients<MultiLock>(MultiLock(options));
}

TEST(Acknowledged, by_one_a_write_is_forgotten_by_a_fail_over) {
    auto clients = written(false);
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
    EXPECT_EQ(clients.acquire(1), "ok");
}

TEST(Acknowledged, by_a_majority_a_write_is_not_forgotten) {
    auto clients = written(true);
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_FALSE(clients.disturb(0, Disturbance::kForget));
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_FALSE(clients.disturb(0, Disturbance::kForget));
}

TEST(Acknowledged, by_nobody_a_write_is_forgotten_also_with_a_majority) {
    auto clients = written(true);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "DbError");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
    EXPECT_FALSE(clients.disturb(0, Disturbance::kForget)) << "there is no other such write";
    EXPECT_EQ(clients.acquire(1), "ok");
    EXPECT_EQ(clients.release_through(1, {Fault::kAckLost}), "DbError");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
    EXPECT_EQ(clients.acquire(0), "LockAlreadyTaken") << "the release is forgotten";
}

TEST(Acknowledged, with_the_next_answer_is_what_was_written_before_it) {
    auto clients = written(true);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kAckLost}), "DbError");
    EXPECT_EQ(clients.acquire(1), "LockAlreadyTaken");
    EXPECT_FALSE(clients.disturb(0, Disturbance::kForget));
}

TEST(Acknowledged, is_not_what_comes_although_nobody_waits_for_it) {
    auto clients = written(true);
    EXPECT_EQ(clients.acquire_through(0, {{}, Fault::kLate}), "DbError");
    EXPECT_TRUE(clients.arrive());
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
}

TEST(Acknowledged, is_not_what_the_application_saves_back) {
    auto clients = written(true, 1);
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kSaveBack));
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
    EXPECT_TRUE(clients.holds(0));
}

TEST(Acknowledged, is_an_entry_of_its_own_document) {
    for (const bool majority : {false, true}) {
        auto clients = pushed(majority);
        EXPECT_EQ(clients.acquire(0, 0), "ok");
        EXPECT_EQ(clients.acquire_through(0, {{}, {}, {}, {}}), "CooperativeLock");
        EXPECT_EQ(
            clients.call_through(0, {.verb = Verb::kAcquire, .key = 1}, {{}, {}, Fault::kAckLost}),
            "DbError");
        EXPECT_EQ(clients.disturb(0, Disturbance::kForget), !majority);
        if (majority) {
            EXPECT_TRUE(clients.disturb(1, Disturbance::kForget));
            EXPECT_EQ(clients.acquire(1, 1), "ok");
        }
    }
}

}  // namespace
}  // namespace lockkeeper::monglock
