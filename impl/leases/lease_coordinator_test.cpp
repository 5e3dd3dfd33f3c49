// SPDX-License-Identifier: Apache-2.0

// The lease coordinator, one transaction after the other: deadlines, waiting, namespaces, releases.
#include "impl/leases/lease_coordinator.hpp"

#include <optional>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/leases/lease_clients_test.hpp"

namespace lockkeeper::leases {
namespace {

Clients<LeaseCoordinator> clients(LeaseCoordinatorOptions options = {}) {
    options = with_clients(std::move(options));
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    return Clients<LeaseCoordinator>(LeaseCoordinator(options));
}

TEST(LeaseCoordinatorAcquire, without_waiting_conflicts_at_once) {
    auto coordinator = clients();
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_EQ(coordinator.acquire(1), "Conflict");
}

TEST(LeaseCoordinatorAcquire, that_waits_is_woken_by_a_release_or_gives_up) {
    LeaseCoordinatorOptions options;
    options.wait = 300;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_EQ(coordinator.acquire(1), "blocked");
    EXPECT_EQ(coordinator.next_stop(), 300);
    EXPECT_EQ(coordinator.release(0), "ok");
    EXPECT_EQ(coordinator.shared().notified[0], 1);
}

TEST(LeaseCoordinatorAcquire, that_was_woken_inserts_by_a_request_that_may_be_lost_like_the_first) {
    LeaseCoordinatorOptions options;
    options.wait = 300;
    options.faults.lost_requests = 1;
    options.faults.lost_replies = 1;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_EQ(coordinator.acquire(1), "blocked");
    EXPECT_EQ(coordinator.faults(1), 0U);
    EXPECT_EQ(coordinator.release(0), "ok");
    EXPECT_EQ(coordinator.faults(1), coordinator.shared().left.of_message());
    EXPECT_EQ(coordinator.step(1, StepFault::kLostReply), Outcome::kFailed);
    EXPECT_EQ(coordinator.last_error(), "DbError");
    EXPECT_TRUE(coordinator.holds(1)) << "a row that nobody knows of";
}

TEST(LeaseCoordinatorHolder, gives_up_grace_before_the_deadline_by_its_own_clock) {
    LeaseCoordinatorOptions options;
    options.grace = 10;
    options = with_clients(std::move(options));
    options.clients[0].clock = -3;  // behind: it gives up later
    options.namespaces = {{"runner"}, {"runner", "reserve"}};
    Clients<LeaseCoordinator> coordinator{LeaseCoordinator(options)};
    EXPECT_EQ(coordinator.acquire(0), "ok");
    for (const auto& [time, over] : {std::pair{4'992, false}, {4'993, true}}) {
        coordinator.go_to(time);
        EXPECT_EQ(coordinator.can(Doing::kDeadline), over) << time;
    }
}

TEST(LeaseCoordinatorModule, renews_three_times_in_a_duration_and_survives_one_failure) {
    LeaseCoordinatorOptions options;
    options.module = true;
    options.ttl = 3'000;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(1'000);
    EXPECT_TRUE(coordinator.act(Doing::kSend));
    coordinator.record(0).renewal[0].phase = Phase::kSilent;  // lost
    coordinator.go_to(2'000);
    EXPECT_TRUE(coordinator.act(Doing::kGiveUp));
    EXPECT_FALSE(coordinator.last().is(kLost));
    EXPECT_TRUE(coordinator.act(Doing::kSend));
    EXPECT_TRUE(coordinator.act(Doing::kHandle));
    EXPECT_TRUE(coordinator.act(Doing::kAnswer));
    EXPECT_EQ(coordinator.record(0).deadline[0], kBeginning + 5'000);
}

TEST(LeaseCoordinatorHeartbeat, moves_the_deadline_and_says_when_the_row_is_gone) {
    auto coordinator = clients();
    const auto heartbeat = [&] {
        return coordinator.call_word(0, LeaseCoordinatorCall::kHeartbeat);
    };
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(4'000);
    EXPECT_EQ(heartbeat(), "ok");
    EXPECT_EQ(coordinator.last().value, 9'000);
    coordinator.shared().rows[0] = {};
    EXPECT_EQ(heartbeat(), "lost");
}

TEST(LeaseCoordinatorHeartbeat, travels_and_its_answer_does_too) {
    constexpr Operation kHeartbeatIt{
        .verb = Verb::kCall, .word = static_cast<std::uint8_t>(LeaseCoordinatorCall::kHeartbeat)};
    for (const bool in_time : {true, false}) {
        LeaseCoordinatorOptions options;
        options.delay = 100;
        options.faults.lost_replies = 1;
        auto coordinator = clients(options);
        EXPECT_EQ(coordinator.acquire(0), "ok");
        coordinator.go_to(4'950);
        coordinator.begin(0, kHeartbeatIt);
        EXPECT_EQ(coordinator.step(0), Outcome::kContinues);
        EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 5'000) << "not yet handled";
        EXPECT_NE(coordinator.faults(0), 0U);
        EXPECT_EQ(coordinator.step(0), Outcome::kContinues);
        EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 9'950);
        coordinator.go_to(in_time ? 4'999 : 5'000);
        EXPECT_EQ(coordinator.act(Doing::kDeadline), !in_time);
        EXPECT_EQ(coordinator.step(0), in_time ? Outcome::kDone : Outcome::kLost);
    }
}

TEST(LeaseCoordinatorHeartbeat, whose_answer_comes_after_the_module_knows_of_the_loss_is_lost) {
    LeaseCoordinatorOptions options;
    options.module = true;
    options.ttl = 3'000;
    options.delay = 100;
    auto coordinator = clients(options);
    coordinator.begin(0, {.verb = Verb::kAcquire});
    EXPECT_EQ(coordinator.step(0), Outcome::kContinues);
    EXPECT_EQ(coordinator.step(0), Outcome::kAcquired);
    coordinator.go_to(1'000);
    EXPECT_TRUE(coordinator.act(Doing::kSend));
    coordinator.begin(0, {.verb = Verb::kCall,
                          .word = static_cast<std::uint8_t>(LeaseCoordinatorCall::kHeartbeat)});
    EXPECT_EQ(coordinator.step(0), Outcome::kContinues);
    EXPECT_EQ(coordinator.step(0), Outcome::kContinues) << "handled";
    coordinator.shared().rows[0] = {};
    EXPECT_TRUE(coordinator.act(Doing::kHandle));
    EXPECT_TRUE(coordinator.act(Doing::kAnswer));
    EXPECT_TRUE(coordinator.last().is(kLost));
    EXPECT_EQ(coordinator.step(0), Outcome::kLost);
    EXPECT_EQ(coordinator.record(0).deadline[0], 0);
}

// Its renewal is under way when its own deadline comes.
Clients<LeaseCoordinator> gave_up_with_a_renewal_under_way(std::uint16_t repairs) {
    LeaseCoordinatorOptions options;
    options.module = true;
    options.ttl = 3'000;
    options.grace = 100;
    options.repairs = repairs;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(1'000);
    EXPECT_TRUE(coordinator.act(Doing::kSend));
    coordinator.go_to(2'900);
    EXPECT_TRUE(coordinator.act(Doing::kDeadline));
    return coordinator;
}

TEST(LeaseCoordinatorGiveUp, with_a_renewal_under_way_leaves_a_row_that_clean_up_takes_back) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kCoCleanUp}}) {
        auto coordinator = gave_up_with_a_renewal_under_way(repairs);
        EXPECT_TRUE(coordinator.act(Doing::kHandle));
        EXPECT_EQ(coordinator.shared().rows[0].deadline, kBeginning + 5'900);
        EXPECT_EQ(coordinator.act(Doing::kTakeBack), repairs != 0);
        EXPECT_EQ(coordinator.holds(0), repairs == 0);
    }
}

TEST(LeaseCoordinatorGiveUp, that_has_taken_back_its_row_finds_nothing_to_renew) {
    auto coordinator = gave_up_with_a_renewal_under_way(kCoCleanUp);
    EXPECT_TRUE(coordinator.act(Doing::kTakeBack));
    EXPECT_FALSE(coordinator.can(Doing::kTakeBack));
    EXPECT_EQ(coordinator.acquire(1), "ok");
    EXPECT_TRUE(coordinator.act(Doing::kHandle));
    EXPECT_TRUE(coordinator.holds(1));
}

TEST(LeaseCoordinatorGiveUp, with_every_request_answered_leaves_the_row_to_the_grace) {
    LeaseCoordinatorOptions options;
    options.grace = 100;
    options.repairs = kCoCleanUp;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    coordinator.go_to(4'900);
    EXPECT_TRUE(coordinator.act(Doing::kDeadline));
    EXPECT_FALSE(coordinator.can(Doing::kTakeBack));
}

TEST(LeaseCoordinatorHooks,
     change_what_the_lease_guards_with_its_row_so_that_late_writes_are_fenced) {
    for (const bool hooks : {false, true}) {
        LeaseCoordinatorOptions options;
        options.hooks = hooks;
        options.repairs = kCoFencing | kCoGrowingTokens;
        auto coordinator = clients(options);
        EXPECT_EQ(coordinator.acquire(0), "ok");
        EXPECT_EQ(coordinator.last().is(kEffect), hooks);
        coordinator.shared().rows[0] = {};
        EXPECT_EQ(coordinator.acquire(1), "ok");
        EXPECT_EQ(coordinator.call_word(0, LeaseCoordinatorCall::kWrite), hooks ? "lost" : "ok");
    }
}

TEST(LeaseCoordinatorReap, takes_the_namespaces_of_all_keys_in_one_transaction_when_asked_to) {
    auto coordinator = clients();
    EXPECT_EQ(coordinator.acquire(0, 0), "ok");
    EXPECT_EQ(coordinator.acquire(0, 1), "ok");
    coordinator.go_to(5'001);
    EXPECT_EQ(coordinator.call_word(2, LeaseCoordinatorCall::kReap, 1, 2), "ok");
    EXPECT_EQ(coordinator.last().value, 2);
}

TEST(LeaseCoordinatorReap, reaches_the_children_of_a_namespace_only_when_asked_to) {
    for (const std::uint16_t with_children : {std::uint16_t{0}, std::uint16_t{1}}) {
        auto coordinator = clients();
        const auto reap = [&](std::uint8_t key) {
            static_cast<void>(
                coordinator.call_word(2, LeaseCoordinatorCall::kReap, key, with_children));
            return coordinator.last().value;
        };
        EXPECT_EQ(coordinator.acquire(0, 0), "ok");
        EXPECT_EQ(coordinator.acquire(0, 1), "ok");
        coordinator.go_to(5'000);
        EXPECT_EQ(reap(0), 0) << "the deadline itself is not expired";
        coordinator.go_to(5'001);
        EXPECT_EQ(reap(0), with_children == 1 ? 2 : 1);
        EXPECT_EQ(reap(1), with_children == 1 ? 0 : 1);
    }
}

TEST(LeaseCoordinatorRelease, that_finds_no_row_is_not_noticed_and_checked_release_notices) {
    for (const auto& [repairs, result] :
         {std::pair{std::uint16_t{0}, "ok"}, {std::uint16_t{kCoCheckedRelease}, "LeaseLost"}}) {
        LeaseCoordinatorOptions options;
        options.repairs = repairs;
        auto coordinator = clients(options);
        EXPECT_EQ(coordinator.acquire(0), "ok");
        coordinator.shared().rows[0] = {};
        EXPECT_EQ(coordinator.acquire(1), "ok");
        EXPECT_EQ(coordinator.release(0), result);
        EXPECT_EQ(coordinator.last().is(Breach::kFalseOk), repairs == 0);
        EXPECT_EQ(coordinator.last().is(kEffect), repairs == 0) << "business data";
        EXPECT_TRUE(coordinator.holds(1));
    }
}

TEST(LeaseCoordinatorNested, is_cancelled_with_the_lease_by_a_message) {
    LeaseCoordinatorOptions options;
    options.delay = 5;
    options.grace = 100;
    auto coordinator = clients(options);
    EXPECT_EQ(coordinator.acquire(0), "ok");
    EXPECT_EQ(coordinator.call_word(0, LeaseCoordinatorCall::kNested), "blocked") << "it runs";
    coordinator.go_to(4'900);
    EXPECT_FALSE(coordinator.can(Doing::kCleanUp));
    EXPECT_TRUE(coordinator.act(Doing::kDeadline));
    EXPECT_TRUE(coordinator.can(Doing::kCleanUp)) << "on its way";
    EXPECT_TRUE(coordinator.can(Doing::kNotice)) << "and not yet there";
    EXPECT_EQ(coordinator.next_stop(), 4'905);
    coordinator.go_to(4'905);
    EXPECT_EQ(coordinator.next_stop(), -1) << "it is there by now";
    EXPECT_TRUE(coordinator.act(Doing::kNotice));
    EXPECT_TRUE(coordinator.last().is(kEffect));
    EXPECT_FALSE(coordinator.last().is(Breach::kUnprotected));
}

TEST(LeaseCoordinatorNested,
     of_a_caller_that_has_died_is_judged_by_the_row_that_it_was_made_under) {
    for (const bool stands : {true, false}) {
        LeaseCoordinatorOptions options;
        options.delay = 5;
        options.repairs = stands ? kCoGuardedWrites : 0;
        auto coordinator = clients(options);
        coordinator.begin(0, {.verb = Verb::kAcquire});
        EXPECT_EQ(coordinator.step(0), Outcome::kContinues);
        EXPECT_EQ(coordinator.step(0), Outcome::kAcquired);
        EXPECT_EQ(coordinator.call_word(0, LeaseCoordinatorCall::kNested), "blocked") << "it runs";
        coordinator.die(0);
        if (!stands) {
            coordinator.shared().rows[0] = {};
        }
        EXPECT_TRUE(coordinator.act(Doing::kNotice));
        EXPECT_TRUE(coordinator.last().is(kEffect));
        EXPECT_EQ(coordinator.last().is(Breach::kUnprotected), !stands);
    }
}

TEST(LeaseCoordinatorLateInsert, comes_after_its_error_unless_a_tombstone_waits_for_it) {
    for (const std::uint16_t repairs :
         {std::uint16_t{0}, std::uint16_t{kCoCleanUp}, std::uint16_t{kCoCleanUp | kCoTombstones}}) {
        const bool comes = (repairs & kCoTombstones) == 0;
        LeaseCoordinatorOptions options;
        options.faults.late_requests = 1;
        options.repairs = repairs;
        auto coordinator = clients(options);
        EXPECT_EQ(coordinator.acquire(0, 0, StepFault::kLateRequest), "DbError");
        EXPECT_EQ(coordinator.act(Doing::kLate), comes);
        EXPECT_EQ(coordinator.acquire(1), comes ? "Conflict" : "ok");
    }
}

// A table in ten lines; nobody looks at his own deadline.
struct NaiveTable {
    struct Row {
        std::size_t owner;
        std::int32_t deadline;
    };
    std::optional<Row> row;
    std::int32_t now = 0;

    std::string acquire(std::size_t caller) {
        if (row) {
            return "Conflict";
        }
        row = Row{caller, now + 5'000};
        return "ok";
    }
    std::string heartbeat(std::size_t caller) {
        if (!row || row->owner != caller) {
            return "lost";
        }
        row->deadline = now + 5'000;
        return "ok";
    }
    std::string release(std::size_t caller) {
        if (row && row->owner == caller) {
            row.reset();
        }
        return "ok";
    }
    std::int32_t reap() {
        const bool expired = row && row->deadline < now;
        if (expired) {
            row.reset();
        }
        return expired ? 1 : 0;
    }
};

TEST(LeaseCoordinatorProperty, one_transaction_after_the_other_behaves_as_a_naive_table) {
    EXPECT_TRUE(rc::check([] {
        auto coordinator = clients();
        NaiveTable naive;
        const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1'500));
        for (const int step : steps) {
            const auto caller = static_cast<std::size_t>(step % 3);
            switch (step / 3 % 5) {
                case 0: RC_ASSERT(coordinator.acquire(caller) == naive.acquire(caller)); break;
                case 1:
                    RC_ASSERT(coordinator.call_word(caller, LeaseCoordinatorCall::kHeartbeat) ==
                              naive.heartbeat(caller));
                    break;
                case 2: RC_ASSERT(coordinator.release(caller) == naive.release(caller)); break;
                case 3:
                    naive.now = std::min(naive.now + step * 5, 50'000);
                    coordinator.go_to(naive.now);
                    break;
                default:
                    static_cast<void>(coordinator.call_word(caller, LeaseCoordinatorCall::kReap));
                    RC_ASSERT(coordinator.last().value == naive.reap());
            }
            for (std::size_t i = 0; i < 3; ++i) {
                const bool granted =
                    naive.row && naive.row->owner == i && naive.row->deadline >= naive.now;
                RC_ASSERT(coordinator.holds(i) == granted);
            }
        }
    }));
}

}  // namespace
}  // namespace lockkeeper::leases
