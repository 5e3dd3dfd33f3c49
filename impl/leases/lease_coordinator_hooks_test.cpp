// SPDX-License-Identifier: Apache-2.0

// The lease coordinator: hooks that fail, and roll their transaction back.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_coordinator.hpp"

namespace lockkeeper::leases {
namespace {

constexpr std::uint32_t kHookBit = 1U << static_cast<unsigned>(StepFault::kHookFails);

Clients<LeaseCoordinator> with_failures(LeaseCoordinatorOptions options = {}) {
    options = with_clients(std::move(options));
    options.hooks = true;
    options.faults.hook_failures = 2;
    for (const std::string& key : options.keys) {
        options.namespaces.push_back({key});
    }
    return Clients<LeaseCoordinator>(LeaseCoordinator(options));
}

TEST(LeaseCoordinatorHook, of_an_insert_that_fails_leaves_nothing_and_runs_again_with_each_try) {
    auto coordinator = with_failures();
    for (int tries = 0; tries < 2; ++tries) {
        EXPECT_EQ(coordinator.acquire(0, 0, StepFault::kHookFails), "HookFailed");
        EXPECT_FALSE(coordinator.last().is(kEffect));
        EXPECT_EQ(coordinator.shared().rows[0].token, 0);
    }
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_TRUE(coordinator.last().is(kEffect));
}

TEST(LeaseCoordinatorHook, does_not_run_where_there_is_a_row) {
    auto coordinator = with_failures();
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.begin(1, {.verb = Verb::kAcquire});
    EXPECT_EQ(coordinator.faults(1) & kHookBit, 0U);
}

TEST(LeaseCoordinatorHook, of_a_heartbeat_that_fails_renews_nothing) {
    auto coordinator = with_failures();
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(1'000);
    const Operation heartbeat{.verb = Verb::kCall,
                              .word = static_cast<std::uint8_t>(LeaseCoordinatorCall::kHeartbeat)};
    EXPECT_EQ(coordinator.call(0, heartbeat, StepFault::kHookFails), "HookFailed");
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 5'000);
    EXPECT_EQ(coordinator.call(0, heartbeat), "ok") << "there is time for another try";
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 6'000);
}

TEST(LeaseCoordinatorHook, of_a_module_s_renewal_that_fails_is_tried_again) {
    LeaseCoordinatorOptions options;
    options.module = true;
    auto coordinator = with_failures(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_FALSE(coordinator.disturb(Disturbance::kFailHook)) << "nothing is under way";
    coordinator.go_to(1'666);
    EXPECT_TRUE(coordinator.act(Doing::kSend));
    EXPECT_TRUE(coordinator.disturb(Disturbance::kFailHook));
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 5'000);
    coordinator.go_to(3'332);
    EXPECT_TRUE(coordinator.act(Doing::kGiveUp) && coordinator.act(Doing::kSend) &&
                coordinator.act(Doing::kHandle));
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 8'332);
}

TEST(LeaseCoordinatorHook, of_a_release_that_fails_leaves_the_row_unless_that_is_cleaned_up) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kCoCleanUp}}) {
        LeaseCoordinatorOptions options;
        options.repairs = repairs;
        auto coordinator = with_failures(options);
        EXPECT_EQ(coordinator.acquire(0), "ok");
        EXPECT_EQ(coordinator.release(0, 0, StepFault::kHookFails), "HookFailed");
        EXPECT_FALSE(coordinator.last().is(kEffect));
        EXPECT_EQ(coordinator.holds(0), repairs == 0);
        EXPECT_EQ(coordinator.acquire(1), repairs == 0 ? "Conflict" : "ok");
    }
}

}  // namespace
}  // namespace lockkeeper::leases
