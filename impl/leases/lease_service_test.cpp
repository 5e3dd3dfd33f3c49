// SPDX-License-Identifier: Apache-2.0

// The lease service, one message after the other: the boundaries of its times, and a naive twin.
#include "impl/leases/lease_service.hpp"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/leases/lease_clients_test.hpp"

namespace lockkeeper::leases {
namespace {

constexpr std::int32_t kTtl = 1'000;

Clients<LeaseService> service_clients(LeaseServiceOptions options = {}) {
    options.ttl = kTtl;
    return Clients<LeaseService>(LeaseService(with_clients(std::move(options))));
}
Clients<LeaseService> without_heartbeats() {
    LeaseServiceOptions options;
    options.heartbeats = false;
    return service_clients(options);
}

TEST(LeaseService, gives_an_entry_to_another_exactly_when_it_has_run_out) {
    for (const auto& [time, result] : {std::pair{999, "Conflict"}, {1'000, "ok"}, {1'001, "ok"}}) {
        auto service = without_heartbeats();
        EXPECT_EQ(service.acquire(0), "ok");
        service.go_to(time);
        EXPECT_EQ(service.acquire(1), result) << time;
    }
}

TEST(LeaseService, renews_for_the_stream_that_has_the_very_entry_and_never_again_after_it_ran_out) {
    auto service = without_heartbeats();
    const auto renew = [&] { return service.call_word(0, LeaseServiceCall::kRenew); };
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(999);
    EXPECT_EQ(renew(), "ok");
    service.go_to(1'999);
    EXPECT_EQ(renew(), "LeaseLost") << "run out, though nobody else has it";
    EXPECT_EQ(renew(), "StreamEnded");
}

TEST(LeaseService, tells_whoever_reads_that_its_renewal_failed_so_that_it_may_ask_again) {
    auto service = without_heartbeats();
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(1'200);
    EXPECT_EQ(service.call_word(0, LeaseServiceCall::kRenew), "LeaseLost");
    EXPECT_TRUE(service.last().is(kLost));
    EXPECT_EQ(service.acquire(0), "ok") << "on another stream";
}

TEST(LeaseService, tells_whoever_renews_on_a_stream_that_has_ended_that_its_lease_is_lost) {
    LeaseServiceOptions options;
    options.faults.resets = 1;
    auto service = service_clients(options);
    EXPECT_EQ(service.acquire(0), "ok");
    EXPECT_TRUE(service.disturb(Disturbance::kReset));
    EXPECT_EQ(service.call_word(0, LeaseServiceCall::kRenew), "StreamEnded");
    EXPECT_TRUE(service.last().is(kLost));
    EXPECT_EQ(service.acquire(0), "ok");
}

Clients<LeaseService> with_own_deadline(std::uint16_t grace) {
    LeaseServiceOptions options;
    options.heartbeats = false;
    options.repairs = kSvOwnDeadline;
    options.grace = grace;
    return service_clients(options);
}

TEST(LeaseService, moves_the_own_deadline_of_whoever_reads_that_its_renewal_was_granted) {
    auto service = with_own_deadline(1);
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(600);
    EXPECT_EQ(service.call_word(0, LeaseServiceCall::kRenew), "ok");
    service.go_to(1'598);
    EXPECT_FALSE(service.can(Doing::kDeadline));
    service.go_to(1'599);
    EXPECT_TRUE(service.can(Doing::kDeadline));
}

TEST(LeaseService, does_not_renew_what_was_given_up_while_another_lease_keeps_the_stream_open) {
    auto service = with_own_deadline(10);
    EXPECT_EQ(service.acquire(0, 0), "ok");
    service.go_to(500);
    EXPECT_EQ(service.acquire(0, 1), "ok");
    service.go_to(990);
    EXPECT_TRUE(service.act(Doing::kDeadline));
    EXPECT_EQ(service.call_word(0, LeaseServiceCall::kRenew), "LeaseLost");
    EXPECT_EQ(service.shared().map[0].expires, kBeginning + kTtl) << "the grace goes on";
    EXPECT_TRUE(service.holds(0, 1));
}

TEST(LeaseService, ends_the_stream_of_whoever_is_refused_with_all_of_its_entries) {
    auto service = service_clients();
    EXPECT_EQ(service.acquire(0, 0), "ok");
    EXPECT_EQ(service.acquire(1, 1), "ok");
    EXPECT_EQ(service.acquire(0, 1), "Conflict");
    EXPECT_FALSE(service.holds(0, 0));
    EXPECT_EQ(service.acquire(1, 0), "ok") << "at once";
}

// A holds x, B holds y; A asks for y and is refused.
Clients<LeaseService> refused_elsewhere(std::uint16_t repairs) {
    LeaseServiceOptions options;
    options.repairs = repairs;
    auto service = service_clients(options);
    EXPECT_EQ(service.acquire(0, 0), "ok");
    EXPECT_EQ(service.acquire(1, 1), "ok");
    EXPECT_EQ(service.acquire(0, 1), "Conflict");
    return service;
}

TEST(LeaseServiceKeepsStream, leaves_the_other_lease_of_whoever_is_refused_alone) {
    for (const std::uint16_t repairs : {std::uint16_t{0}, std::uint16_t{kSvKeepsStream}}) {
        auto service = refused_elsewhere(repairs);
        EXPECT_EQ(service.holds(0, 0), repairs != 0);
        service.go_to(500);
        EXPECT_TRUE(service.act(Doing::kSend, 0, 0));
        EXPECT_FALSE(service.last().is(kLost)) << "an ordinary end is taken for success";
    }
}

TEST(LeaseServiceKeepsStream, ends_the_stream_of_whoever_is_refused_and_has_nothing_else) {
    LeaseServiceOptions options;
    options.repairs = kSvKeepsStream;
    auto service = service_clients(options);
    EXPECT_EQ(service.acquire(1, 1), "ok");
    EXPECT_EQ(service.acquire(0, 1), "Conflict");
    EXPECT_EQ(service.record(0).stream, LeaseService::Stream::kRefused);
}

TEST(LeaseServiceKeepsStream, gives_an_entry_that_was_lost_on_the_same_stream_again) {
    LeaseServiceOptions options;
    options.repairs = kSvKeepsStream | kSvOwnDeadline;
    auto service = service_clients(options);
    EXPECT_EQ(service.acquire(0, 0), "ok");
    service.go_to(500);
    EXPECT_EQ(service.acquire(0, 1), "ok");
    service.go_to(1'000);
    EXPECT_TRUE(service.act(Doing::kDeadline, 0, 0)) << "given up, and the stream goes on";
    EXPECT_EQ(service.acquire(0, 0), "ok");
    EXPECT_TRUE(service.holds(0, 0) && service.holds(0, 1));
}

Clients<LeaseService> with_delay(std::int32_t delay) {
    LeaseServiceOptions options;
    options.delay = delay;
    options.faults.resets = 1;
    return service_clients(options);
}

TEST(LeaseServiceStream, that_its_client_has_ended_keeps_its_entries_until_the_service_knows) {
    for (const std::int32_t delay : {0, 100}) {
        auto service = with_delay(delay);
        EXPECT_EQ(service.acquire(0), "ok");
        EXPECT_EQ(service.release(0), "ok");
        EXPECT_EQ(service.acquire(0), "Conflict") << "a new stream, and the old one's entry";
        EXPECT_TRUE(service.can(Doing::kNotice));
        service.go_to(delay);
        EXPECT_EQ(service.next_stop(), -1) << "it is there by now";
        EXPECT_TRUE(service.act(Doing::kNotice));
        EXPECT_EQ(service.acquire(0), "ok");
    }
}

TEST(LeaseServiceStream, carries_what_its_client_sends_in_that_order) {
    auto service = with_delay(100);
    EXPECT_EQ(service.acquire(0, 1), "ok");
    EXPECT_EQ(service.acquire(0, 0), "ok");
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend, 0, 1));
    EXPECT_TRUE(service.act(Doing::kSend, 0, 0));
    EXPECT_FALSE(service.can(Doing::kHandle, 0, 0));
    EXPECT_TRUE(service.act(Doing::kHandle, 0, 1));
    EXPECT_TRUE(service.act(Doing::kHandle, 0, 0));
}

TEST(LeaseServiceStream, brings_a_question_after_the_heartbeats_that_were_sent_before_it) {
    auto service = with_delay(0);
    EXPECT_EQ(service.acquire(0, 0), "ok");
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend));
    EXPECT_EQ(service.acquire(0, 1), "blocked");
    EXPECT_TRUE(service.act(Doing::kHandle));
    EXPECT_EQ(service.step(0), Outcome::kContinues);
    EXPECT_EQ(service.step(0), Outcome::kAcquired);
}

TEST(LeaseServiceDeath, leaves_a_heartbeat_on_its_way_that_may_still_be_handled) {
    auto service = with_delay(100);
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend));
    service.die(0);
    service.go_to(600);
    EXPECT_TRUE(service.act(Doing::kLate));
    service.go_to(1'599);
    EXPECT_EQ(service.acquire(1), "Conflict");
    service.go_to(1'600);
    EXPECT_EQ(service.acquire(1), "ok");
}

TEST(LeaseServiceDeath, leaves_a_question_on_its_way_that_may_take_the_scope) {
    auto service = with_delay(100);
    service.begin(0, {.verb = Verb::kAcquire});
    EXPECT_EQ(service.step(0), Outcome::kContinues);
    service.die(0);
    EXPECT_FALSE(service.can(Doing::kNotice));
    EXPECT_TRUE(service.act(Doing::kLate));
    EXPECT_EQ(service.acquire(1), "Conflict");
    EXPECT_TRUE(service.act(Doing::kNotice)) << "some time";
    EXPECT_EQ(service.acquire(1), "ok");
}

TEST(LeaseServiceDeath, leaves_a_question_of_a_new_stream_that_the_entry_of_the_old_one_refuses) {
    auto service = with_delay(100);
    EXPECT_EQ(service.acquire(0), "ok");
    EXPECT_TRUE(service.disturb(Disturbance::kHalfReset));
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend));
    EXPECT_TRUE(service.last().is(kLost)) << "a send error";
    service.begin(0, {.verb = Verb::kAcquire});
    EXPECT_EQ(service.step(0), Outcome::kContinues);
    service.die(0);
    EXPECT_TRUE(service.act(Doing::kLate));
    EXPECT_EQ(service.shared().map[0].expires, kBeginning + kTtl) << "it is no renewal";
    EXPECT_TRUE(service.can(Doing::kNotice)) << "the end of the old stream is still to be noticed";
}

TEST(LeaseServiceDeath,
     leaves_a_question_that_comes_after_the_end_of_the_old_stream_and_is_granted) {
    auto service = with_delay(100);
    EXPECT_EQ(service.acquire(0), "ok");
    EXPECT_TRUE(service.disturb(Disturbance::kHalfReset));
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend));
    service.begin(0, {.verb = Verb::kAcquire});
    EXPECT_EQ(service.step(0), Outcome::kContinues);
    service.die(0);
    EXPECT_TRUE(service.act(Doing::kNotice));
    EXPECT_TRUE(service.act(Doing::kLate));
    EXPECT_EQ(service.shared().map[0].expires, kBeginning + 500 + kTtl);
}

TEST(LeaseServiceConnection, that_breaks_unnoticed_leaves_what_was_under_way) {
    auto service = with_delay(100);
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend));
    EXPECT_TRUE(service.disturb(Disturbance::kHalfReset));
    EXPECT_TRUE(service.act(Doing::kLate));
    EXPECT_EQ(service.shared().map[0].expires, kBeginning + 1'500);
}

TEST(LeaseServiceLibrary, refuses_to_acquire_twice_and_has_two_scopes) {
    auto service = service_clients();
    EXPECT_EQ(service.acquire(0, 0), "ok");
    EXPECT_EQ(service.acquire(0, 0), "AlreadyHeld");
    EXPECT_EQ(service.acquire(0, 1), "ok");
    EXPECT_TRUE(service.holds(0, 0) && service.holds(0, 1));
}

TEST(LeaseServiceLibrary, takes_the_end_of_a_refused_stream_for_success_and_believes_for_ever) {
    auto service = service_clients();
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(1'000);
    EXPECT_TRUE(service.act(Doing::kSend) && service.act(Doing::kHandle)) << "too late: refused";
    EXPECT_EQ(service.acquire(1), "ok");
    for (int heartbeat = 2; heartbeat < 50; ++heartbeat) {
        service.go_to(1'000 * heartbeat);
        EXPECT_TRUE(service.act(Doing::kSend));
        EXPECT_FALSE(service.last().is(kLost));
        EXPECT_FALSE(service.can(Doing::kHandle)) << "nothing is sent any more";
    }
    EXPECT_EQ(service.acquire(0), "AlreadyHeld");
}

TEST(LeaseServiceLibrary, that_reads_answers_is_told_of_a_refusal) {
    LeaseServiceOptions options;
    options.repairs = kSvOwnDeadline;
    auto service = refused_elsewhere(options.repairs);
    service.go_to(500);
    EXPECT_TRUE(service.act(Doing::kSend, 0, 0));
    EXPECT_TRUE(service.last().is(kLost));
}

TEST(LeaseServiceLibrary, with_its_own_deadline_gives_up_when_the_ttl_has_passed) {
    LeaseServiceOptions options;
    options.repairs = kSvOwnDeadline;
    options.grace = 1;
    auto service = service_clients(options);
    EXPECT_EQ(service.acquire(0), "ok");
    service.go_to(998);
    EXPECT_FALSE(service.can(Doing::kDeadline));
    service.go_to(999);
    EXPECT_TRUE(service.act(Doing::kDeadline));
    EXPECT_TRUE(service.last().is(kLost));
}

// The service's memory as a map: scope to owner and end; a refused client starts anew.
struct NaiveService {
    struct Entry {
        std::size_t owner;
        std::int32_t until;
    };
    std::map<std::uint8_t, Entry> entries;
    std::array<std::map<std::uint8_t, bool>, 3> streams;  // scopes that the stream ever took

    bool handle(std::size_t client, std::uint8_t scope, std::int32_t now) {
        const auto entry = entries.find(scope);
        const bool valid = entry != entries.end() && entry->second.until > now;
        const bool asked_before = streams[client].contains(scope);
        const bool own = valid && entry->second.owner == client && asked_before;
        if (own || (!asked_before && !valid)) {
            entries[scope] = {client, now + kTtl};
            streams[client][scope] = true;
            return true;
        }
        for (auto it = entries.begin(); it != entries.end();) {
            const bool theirs = it->second.owner == client && streams[client].contains(it->first);
            it = theirs ? entries.erase(it) : std::next(it);
        }
        streams[client].clear();
        return false;
    }
};

TEST(LeaseServiceProperty, behaves_as_a_naive_map) {
    EXPECT_TRUE(rc::check([] {
        auto service = without_heartbeats();
        NaiveService naive;
        std::int32_t now = 0;
        const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 600));
        for (const int step : steps) {
            const auto client = static_cast<std::size_t>(step % 3);
            const auto scope = static_cast<std::uint8_t>(step / 3 % 2);
            if (step / 6 % 2 == 0) {
                now += step;
                service.go_to(now);
                continue;
            }
            auto& record = service.record(client);
            // The service alone: the library's view of what it has is put aside.
            record.flags = {};
            const bool expected = naive.handle(client, scope, now);
            RC_ASSERT((service.acquire(client, scope) == "ok") == expected);
            record.flags = {};
            for (std::uint8_t key = 0; key < 2; ++key) {
                const auto entry = naive.entries.find(key);
                const bool valid = entry != naive.entries.end() && entry->second.until > now;
                bool held = false;
                for (std::size_t i = 0; i < 3; ++i) {
                    held = held || service.holds(i, key);
                    RC_ASSERT(!service.holds(i, key) || (valid && entry->second.owner == i));
                }
                RC_ASSERT(held == valid);
            }
        }
    }));
}

}  // namespace
}  // namespace lockkeeper::leases
