// SPDX-License-Identifier: Apache-2.0

// The write lock, one call after the other: the boundaries of its numbers, and a naive twin.
#include "impl/monglock/write_lock.hpp"

#include <map>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/monglock/clients_test.hpp"

namespace lockkeeper::monglock {
namespace {

constexpr std::int32_t kPeriod = 10;

std::vector<Client> two_alike() { return std::vector<Client>(2); }

using Clients = testing_monglock::Clients<WriteLock>;

Clients clients_of(std::vector<Client> clients, std::uint16_t repairs = 0) {
    WriteLockOptions options;
    options.lock_timeout = kPeriod;
    options.clients = std::move(clients);
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return Clients(WriteLock(options));
}

std::string release_any(Clients& clients, std::size_t caller) {
    return clients.call(caller, {.verb = Verb::kCall,
                                 .word = static_cast<std::uint8_t>(WriteLockCall::kReleaseAny)});
}

TEST(WriteLock, is_free_again_at_exactly_its_timestamp_plus_the_period) {
    for (const std::int32_t wait : {kPeriod - 1, kPeriod, kPeriod + 1}) {
        Clients clients = clients_of(two_alike());
        EXPECT_EQ(clients.acquire(0), "ok");
        clients.go_to(wait);
        EXPECT_EQ(clients.acquire(1), wait < kPeriod ? "LockAlreadyTaken" : "ok") << wait;
        EXPECT_EQ(clients.holds(0), wait < kPeriod);
    }
}

TEST(WriteLock, expires_by_the_clock_and_the_period_of_who_wants_it) {
    Clients clients = clients_of({{}, {.clock = kPeriod}, {.lock_timeout = 3}});
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.acquire(1), "ok");  // its clock shows that the period is over
    clients.go_to(kPeriod + 2);
    EXPECT_EQ(clients.acquire(2), "LockAlreadyTaken");  // taken "at" kPeriod
    clients.go_to(kPeriod + 3);
    EXPECT_EQ(clients.acquire(2), "ok");
}

TEST(WriteLock, expires_by_the_time_out_of_the_call_where_it_gives_one) {
    Clients clients = clients_of({{}, {.lock_timeout = 3, .call_timeouts = {7}}});
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.next_stop(), 2);  // just before it is old by the shortest time-out
    clients.go_to(6);
    EXPECT_EQ(clients.call(1, {.verb = Verb::kAcquire, .number = 7}), "LockAlreadyTaken");
    EXPECT_EQ(clients.next_stop(), 7);
    clients.go_to(7);
    EXPECT_EQ(clients.call(1, {.verb = Verb::kAcquire, .number = 7}), "ok");
}

TEST(WriteLock, that_comes_late_is_judged_by_the_time_out_of_its_call) {
    Clients clients = clients_of({{}, {.lock_timeout = 3, .call_timeouts = {7}}});
    EXPECT_EQ(clients.acquire(0), "ok");
    clients.go_to(6);
    EXPECT_EQ(clients.call(1, {.verb = Verb::kAcquire, .number = 7}, OperationFault::kLate),
              "DbError");
    EXPECT_TRUE(clients.arrive());
    EXPECT_TRUE(clients.holds(0));  // fresh by 7, old by 3
}

TEST(WriteLock, is_released_with_any_timestamp_that_is_equal) {
    Clients clients = clients_of(two_alike());
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(release_any(clients, 1), "ok");  // without a token: whatever is there
    EXPECT_EQ(clients.acquire(1), "ok");       // in the same millisecond
    EXPECT_EQ(clients.release(0), "ok");       // which is the other's lock
    EXPECT_FALSE(clients.holds(1));
}

std::string release_earlier(Clients& clients, std::size_t caller) {
    return clients.call(
        caller,
        {.verb = Verb::kCall, .word = static_cast<std::uint8_t>(WriteLockCall::kReleaseEarlier)});
}

TEST(WriteLock, is_released_with_an_earlier_timestamp_only_in_its_own_millisecond) {
    for (const std::int32_t wait : {0, 1}) {
        for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kUniqueIds}}) {
            WriteLockOptions options;
            options.lock_timeout = kPeriod;
            options.keeps_earlier = true;
            options.clients = two_alike();
            options.repairs = repairs;
            Clients clients{WriteLock(options)};
            EXPECT_EQ(clients.acquire(0), "ok");
            EXPECT_EQ(clients.release(0), "ok");
            clients.go_to(wait);
            EXPECT_EQ(clients.acquire(0), "ok");
            EXPECT_EQ(clients.release(0), "ok");
            EXPECT_EQ(clients.acquire(1), "ok");
            const bool matches = wait == 0 && repairs == 0;
            EXPECT_EQ(release_earlier(clients, 0), matches ? "ok" : "LockWasReacquired");
            EXPECT_EQ(clients.last().is(Breach::kForeignRemoval), matches);
            EXPECT_EQ(clients.holds(1), !matches);
        }
    }
}

TEST(WriteLock, releases_without_a_timestamp_also_a_document_that_has_no_lock) {
    Clients clients = clients_of(two_alike());
    EXPECT_EQ(clients.release(0), "LockWasReacquired");  // with a token that nobody has
    EXPECT_EQ(release_any(clients, 0), "ok");
    EXPECT_EQ(clients.shared().documents[0].lock.active, WriteLock::Active::kNo);
    EXPECT_EQ(clients.release(0), "LockWasReacquired");
    EXPECT_EQ(clients.acquire(1), "ok");
    clients.shared().documents[0].exists = 0;
    EXPECT_EQ(release_any(clients, 1), "RessourceNotFound");
}

TEST(WriteLock, says_what_it_finds_when_an_update_does_not_match) {
    Clients clients = clients_of(two_alike());
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.acquire(1, 0, OperationFault::kReadFails), "silent");
    clients.shared().documents[0] = {};
    EXPECT_EQ(clients.acquire(1), "RessourceNotFound");
    EXPECT_EQ(clients.acquire(1, 0, OperationFault::kReadLags), "LockAlreadyTaken");
    EXPECT_EQ(clients.release(0, 0, OperationFault::kReadLags), "LockWasReacquired");
}

TEST(WriteLock, is_left_taken_by_an_update_that_is_reported_as_failed) {
    Clients faithful = clients_of(two_alike());
    EXPECT_EQ(faithful.acquire(0, 0, OperationFault::kAckLost), "DbError");
    EXPECT_EQ(faithful.phantoms(), 1U);
    EXPECT_EQ(faithful.acquire(1, 0, OperationFault::kNotApplied), "DbError");
    EXPECT_EQ(faithful.acquire(1), "LockAlreadyTaken");
    EXPECT_EQ(faithful.release(0), "LockWasReacquired") << "it was told no timestamp";

    Clients repaired = clients_of(two_alike(), kCleanUp);
    // Whatever can go wrong again does, until its budget is spent.
    EXPECT_EQ(repaired.acquire(0, 0, OperationFault::kNotApplied), "endless");
    EXPECT_FALSE(repaired.holds(0));
}

TEST(WriteLock, is_released_once_more_with_the_timestamp_of_the_next_holder_in_one_millisecond) {
    Clients clients = clients_of(two_alike());
    EXPECT_EQ(clients.acquire(0), "ok");
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_EQ(clients.acquire(1), "ok");
    EXPECT_EQ(clients.release(0), "ok");
    EXPECT_TRUE(clients.last().is(Breach::kForeignRemoval));
    EXPECT_FALSE(clients.holds(1));
}

TEST(WriteLock, stays_what_it_was_when_a_second_acquire_of_its_holder_fails) {
    for (const unsigned repairs : {0U, unsigned{kCleanUp}}) {
        Clients clients = clients_of(two_alike(), static_cast<std::uint16_t>(repairs));
        EXPECT_EQ(clients.acquire(0), "ok");
        EXPECT_EQ(clients.acquire_through(0, {{}, OperationFault::kNotApplied}), "DbError");
        EXPECT_TRUE(clients.holds(0));
        EXPECT_EQ(clients.release(0), "ok");
        EXPECT_FALSE(clients.last().is(Breach::kFalseOk));
    }
}

TEST(WriteLock, of_one_of_three_documents_says_nothing_about_the_others) {
    WriteLockOptions options;
    options.keys = {"x", "y", "z"};
    options.clients = two_alike();
    options.faults.failovers = 1;
    Clients clients{WriteLock(options)};
    for (std::uint8_t document = 0; document < 3; ++document) {
        EXPECT_EQ(clients.acquire(0, document), "ok");
    }
    EXPECT_EQ(clients.release(0, 1), "ok");
    EXPECT_TRUE(clients.disturb(2, Disturbance::kForget));
    for (std::uint8_t document = 0; document < 3; ++document) {
        EXPECT_EQ(clients.acquire(1, document), document == 0 ? "LockAlreadyTaken" : "ok");
    }
}

TEST(WriteLock, has_time_for_as_long_as_each_clock_has_numbers) {
    ClientSideOptions options;
    options.clients = {{-900}, {0}};
    EXPECT_EQ(end_of_time(options), kInstantMax);
    options.clients[1].clock = 900;
    options.jump = 100;
    options.faults.clock_jumps = 2;
    EXPECT_EQ(end_of_time(options), kInstantMax - 900 - 200);
    options.clients[0].drift = 500;  // shows half as much again, 900 behind
    const auto shown = [&](std::int32_t now) { return now - 900 + 200 + (now - kBeginning) / 2; };
    EXPECT_LE(shown(end_of_time(options)), kInstantMax);
    options.jump = 60'000;
    EXPECT_EQ(end_of_time(options), kBeginning) << "no time at all, but none before the beginning";
}

TEST(WriteLock, tells_errors_by_their_type_or_wrapped_by_the_code_of_the_boom_option) {
    const auto told = [](Error error, bool boom) {
        WriteLockOptions options;
        options.boom = boom;
        options.clients = two_alike();
        return WriteLock(options).error_code(static_cast<unsigned>(error));
    };
    for (const Error conflict :
         {Error::kLockAlreadyTaken, Error::kLockWasReacquired, Error::kCooperativeLock,
          Error::kAssertiveLock, Error::kLockNotFound}) {
        EXPECT_EQ(told(conflict, false), "conflict");
        EXPECT_EQ(told(conflict, true), "409");
    }
    EXPECT_EQ(told(Error::kRessourceNotFound, false), "notFound");
    EXPECT_EQ(told(Error::kRessourceNotFound, true), "404");
    EXPECT_EQ(told(Error::kDbError, false), "badImplementation");
    EXPECT_EQ(told(Error::kDbError, true), "500");
    EXPECT_EQ(told(Error::kTypeError, true), "") << "the library does not wrap it";
}

// The lock as one would write it down for one client after the other.
struct NaiveLock {
    bool active = false;
    bool was_taken = false;
    std::int32_t timestamp = 0;
    std::map<std::size_t, std::int32_t> tokens;

    std::string acquire(std::size_t who, std::int32_t now) {
        if (active && timestamp > now - kPeriod) {
            return "LockAlreadyTaken";
        }
        active = was_taken = true;
        timestamp = tokens[who] = now;
        return "ok";
    }
    std::string release(std::size_t who) {
        const auto token = tokens.find(who);
        if (!was_taken || token == tokens.end() || token->second != timestamp) {
            return "LockWasReacquired";
        }
        active = false;
        return "ok";
    }
    std::string release_any() {
        active = false;
        return "ok";
    }
};

TEST(WriteLock, does_call_after_call_what_its_naive_twin_does) {
    EXPECT_TRUE(rc::check([] {
        const std::vector<Client> skewed{{}, {.clock = 4}, {.clock = -7}};
        Clients clients = clients_of(skewed);
        NaiveLock naive;
        std::int32_t now = 0;
        for (int calls = *rc::gen::inRange(1, 40); calls > 0; --calls) {
            now += *rc::gen::element(0, 0, 1, kPeriod - 1, kPeriod, kPeriod + 1);
            clients.go_to(now);
            const auto who = *rc::gen::inRange<std::size_t>(0, skewed.size());
            switch (*rc::gen::inRange(0, 5)) {
                case 0: RC_ASSERT(release_any(clients, who) == naive.release_any()); break;
                case 1:
                case 2: RC_ASSERT(clients.release(who) == naive.release(who)); break;
                default:
                    RC_ASSERT(clients.acquire(who) == naive.acquire(who, now + skewed[who].clock));
            }
        }
    }));
}

}  // namespace
}  // namespace lockkeeper::monglock
