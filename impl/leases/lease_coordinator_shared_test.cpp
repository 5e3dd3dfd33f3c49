// SPDX-License-Identifier: Apache-2.0

// The lease coordinator where several share: one lease that several obtain and renew, one reap of
// several namespaces, calls inside of calls.
#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_coordinator.hpp"

namespace lockkeeper::leases {
namespace {

using Coordinators = Clients<LeaseCoordinator>;

LeaseCoordinatorOptions upserting() {
    LeaseCoordinatorOptions options = with_clients(LeaseCoordinatorOptions{});
    options.upsert = true;
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    return options;
}

TEST(LeaseCoordinatorUpsert, renews_a_row_that_another_has_inserted_and_keeps_its_lease_key) {
    Coordinators coordinator{LeaseCoordinator(upserting())};
    EXPECT_EQ(coordinator.acquire(0), "ok");
    const std::uint8_t lease_key = coordinator.shared().rows[0].token;
    coordinator.go_to(2'000);
    EXPECT_EQ(coordinator.acquire(1), "ok");
    EXPECT_EQ(coordinator.shared().rows[0].token, lease_key);
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 7'000);
    EXPECT_TRUE(coordinator.holds(0));
    EXPECT_TRUE(coordinator.holds(1));
    EXPECT_EQ(coordinator.record(0).deadline[0], kBeginning + 5'000) << "nobody tells the first";
    EXPECT_EQ(coordinator.record(1).deadline[0], kBeginning + 7'000);
}

TEST(LeaseCoordinatorUpsert, obtains_anew_what_has_been_reaped) {
    Coordinators coordinator{LeaseCoordinator(upserting())};
    EXPECT_EQ(coordinator.acquire(0), "ok");
    const std::uint8_t lease_key = coordinator.shared().rows[0].token;
    coordinator.go_to(5'001);
    EXPECT_TRUE(coordinator.act(Doing::kReap));
    EXPECT_EQ(coordinator.acquire(1), "ok");
    EXPECT_NE(coordinator.shared().rows[0].token, lease_key);
    EXPECT_FALSE(coordinator.holds(0));
}

TEST(LeaseCoordinatorUpsert, that_is_handled_late_renews_a_row_and_leaves_it_to_its_holder) {
    LeaseCoordinatorOptions options = upserting();
    options.faults.late_requests = 1;
    Coordinators coordinator{LeaseCoordinator(options)};
    EXPECT_EQ(coordinator.acquire(0, 0, StepFault::kLateRequest), "DbError");
    EXPECT_EQ(coordinator.acquire(1), "ok");
    const std::uint8_t lease_key = coordinator.shared().rows[0].token;
    EXPECT_TRUE(coordinator.act(Doing::kLate, 0));
    EXPECT_EQ(coordinator.shared().rows[0].token, lease_key);
    EXPECT_EQ(coordinator.record(0).late_token[0], 0);
}

TEST(LeaseCoordinatorUpsert, whose_answer_is_lost_is_not_taken_back_because_it_may_be_of_others) {
    LeaseCoordinatorOptions options = upserting();
    options.faults.lost_replies = 1;
    options.repairs = kCoCleanUp;
    Coordinators coordinator{LeaseCoordinator(options)};
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(1'000);
    EXPECT_EQ(coordinator.acquire(1, 0, StepFault::kLostReply), "DbError");
    EXPECT_TRUE(coordinator.holds(0));
    EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 6'000) << "applied";
}

TEST(LeaseCoordinatorUpsert, changes_what_the_lease_guards_whether_it_inserts_or_renews) {
    LeaseCoordinatorOptions options = upserting();
    options.hooks = true;
    Coordinators coordinator{LeaseCoordinator(options)};
    for (const std::size_t caller : {0U, 1U}) {
        EXPECT_EQ(coordinator.acquire(caller), "ok");
        EXPECT_TRUE(coordinator.last().is(kEffect));
    }
}

// [runner] and [module] are of one use case, and name their children only when asked to.
Coordinators with_use_cases() {
    LeaseCoordinatorOptions options = with_clients(LeaseCoordinatorOptions{});
    options.keys = {"R", "M", "U", "C"};
    options.namespaces = {{"runner"}, {"module"}, {"module", "user"}, {"call"}};
    options.use_cases = {1, 1, 2, 3};
    options.reaps = false;
    Coordinators coordinator{LeaseCoordinator(options)};
    for (std::uint8_t key = 0; key < 4; ++key) {
        EXPECT_EQ(coordinator.acquire(0, key), "ok");
    }
    coordinator.go_to(5'001);
    return coordinator;
}

TEST(LeaseCoordinatorUseCase, reaps_its_namespaces_at_once_and_their_children_when_asked_to) {
    for (const auto& [number, reaped] : {std::pair{0, 1}, {1, 1}, {2, 2}, {3, 3}}) {
        Coordinators coordinator = with_use_cases();
        EXPECT_EQ(coordinator.call_word(1, LeaseCoordinatorCall::kReap, 0,
                                        static_cast<std::uint16_t>(number)),
                  "ok");
        EXPECT_EQ(coordinator.last().value, reaped) << number;
        EXPECT_NE(coordinator.shared().rows[3].token, 0) << "of another use case";
        EXPECT_EQ(coordinator.shared().rows[2].token == 0, number == 3) << "a child";
    }
}

Coordinators with_three_calls(std::int32_t delay) {
    LeaseCoordinatorOptions options = with_clients(LeaseCoordinatorOptions{});
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    options.delay = delay;
    options.grace = 100;
    Coordinators coordinator{LeaseCoordinator(options)};
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_EQ(coordinator.call_word(0, LeaseCoordinatorCall::kNested, 0, 3), "blocked");
    EXPECT_FALSE(coordinator.can(Doing::kNotice)) << "each makes the next first";
    EXPECT_TRUE(coordinator.act(Doing::kCallOn));
    EXPECT_TRUE(coordinator.act(Doing::kCallOn));
    EXPECT_FALSE(coordinator.can(Doing::kCallOn)) << "three deep";
    return coordinator;
}

TEST(LeaseCoordinatorNested, three_deep_is_cancelled_from_one_to_the_next_each_after_a_message) {
    Coordinators coordinator = with_three_calls(5);
    coordinator.go_to(4'900);
    EXPECT_TRUE(coordinator.act(Doing::kDeadline));
    for (const int reached : {4'905, 4'910, 4'915}) {
        EXPECT_TRUE(coordinator.can(Doing::kNotice)) << "the third does not know yet";
        EXPECT_EQ(coordinator.next_stop(), reached);
        coordinator.go_to(reached);
        EXPECT_TRUE(coordinator.act(Doing::kCleanUp));
    }
    EXPECT_FALSE(coordinator.can(Doing::kNotice));
    EXPECT_FALSE(coordinator.blocked(0));
    EXPECT_EQ(coordinator.record(0).nested_token[0], 0);
}

TEST(LeaseCoordinatorNested, three_deep_writes_once_for_each_call_when_nobody_cancels) {
    Coordinators coordinator = with_three_calls(0);
    for (int call = 0; call < 3; ++call) {
        EXPECT_TRUE(coordinator.blocked(0));
        EXPECT_TRUE(coordinator.act(Doing::kNotice));
        EXPECT_TRUE(coordinator.last().is(kEffect));
    }
    EXPECT_FALSE(coordinator.blocked(0));
}

}  // namespace
}  // namespace lockkeeper::leases
