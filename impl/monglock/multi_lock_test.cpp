// SPDX-License-Identifier: Apache-2.0

// The multi lock, one call after the other: the boundaries of its numbers, and a naive twin.
#include "impl/monglock/multi_lock.hpp"

#include <map>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/monglock/clients_test.hpp"

namespace lockkeeper::monglock {
namespace {

constexpr std::uint8_t kRead = 0;
constexpr std::uint8_t kWrite = 1;
constexpr TagSet kReadSet = 1U << kRead;
constexpr TagSet kWriteSet = 1U << kWrite;
constexpr std::int32_t kReadPeriod = 10;
constexpr std::int32_t kWritePeriod = 4;

using Clients = testing_monglock::Clients<MultiLock>;

// The configuration that readers and writers have.
MultiLockOptions for_readers_and_writers(std::uint16_t repairs = 0,
                                         std::vector<Client> clients = {}) {
    MultiLockOptions options;
    options.keys = {"read", "write"};
    options.lock_timeouts = {kReadPeriod, kWritePeriod};
    options.cooperative = {kWriteSet, kWriteSet};
    options.assertive = {0, kReadSet};
    options.clients = std::move(clients);
    options.clients.resize(4);
    options.grace = 1;
    options.repairs = repairs;
    options.faults = testing_monglock::plenty();
    return options;
}
Clients readers_and_writers(std::uint16_t repairs = 0, std::vector<Client> clients = {}) {
    return Clients(MultiLock(for_readers_and_writers(repairs, std::move(clients))));
}
// A lock that was released is kept, to ask again with.
Clients who_ask_again(std::uint16_t repairs = 0) {
    MultiLockOptions options = for_readers_and_writers(repairs);
    options.keeps_released = true;
    return Clients(MultiLock(options));
}

std::string call(Clients& clients, std::size_t caller, MultiLockCall word) {
    return clients.call(
        caller, {.verb = Verb::kCall, .key = kWrite, .word = static_cast<std::uint8_t>(word)});
}
std::string ask_again(Clients& clients, std::size_t caller) {
    return call(clients, caller, MultiLockCall::kAskAgain);
}

TEST(MultiLock, lets_readers_in_together_and_a_writer_alone) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kRead), "ok");
    EXPECT_EQ(clients.acquire(1, kRead), "ok");
    EXPECT_EQ(clients.acquire(2, kWrite), "AssertiveLock");
    EXPECT_EQ(clients.acquire(3, kRead), "CooperativeLock");  // the writer's entry stands
    EXPECT_EQ(clients.acquire(3, kWrite), "CooperativeLock");
    EXPECT_EQ(clients.release(0, kRead), "ok");
    EXPECT_EQ(ask_again(clients, 2), "AssertiveLock");
    EXPECT_EQ(clients.release(1, kRead), "ok");
    EXPECT_EQ(ask_again(clients, 2), "ok");
    EXPECT_TRUE(clients.holds(2, kWrite));
    EXPECT_EQ(clients.release(2, kWrite), "ok");
    EXPECT_EQ(clients.acquire(3, kRead), "ok");
}

TEST(MultiLock, is_free_of_an_entry_at_exactly_its_timestamp_plus_the_period_of_its_tag) {
    for (const std::int32_t wait : {kWritePeriod - 1, kWritePeriod, kWritePeriod + 1}) {
        Clients clients = readers_and_writers();
        EXPECT_EQ(clients.acquire(0, kWrite), "ok");
        clients.go_to(wait);
        EXPECT_EQ(clients.acquire(1, kRead), wait < kWritePeriod ? "CooperativeLock" : "ok");
    }
}

TEST(MultiLock, takes_a_tag_for_free_when_some_of_its_entries_are_old) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kAllElements}}) {
        Clients clients = readers_and_writers(repairs);
        EXPECT_EQ(clients.acquire(0, kRead), "ok");
        clients.go_to(kReadPeriod);
        EXPECT_EQ(clients.acquire(1, kRead), "ok");  // fresh
        EXPECT_EQ(clients.acquire(2, kWrite), repairs == 0 ? "ok" : "AssertiveLock");
    }
}

TEST(MultiLock, judges_by_one_reading_of_the_clock_and_stamps_its_entry_with_another) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    clients.go_to(kWritePeriod - 1);
    clients.begin(1, {.verb = Verb::kAcquire, .key = kRead}, 1);
    clients.go_to(kWritePeriod);
    EXPECT_EQ(clients.finish(1), "CooperativeLock");  // by its first reading it is fresh

    clients.begin(1, {.verb = Verb::kAcquire, .key = kRead}, 1);
    clients.go_to(kWritePeriod + 2);
    EXPECT_EQ(clients.finish(1), "ok");
    EXPECT_EQ(clients.shared().lock[kRead][0].timestamp, kBeginning + kWritePeriod + 2);
}

TEST(MultiLock, sends_again_what_it_has_judged_and_stamped_by_two_readings) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    clients.go_to(kWritePeriod - 1);
    clients.begin(1, {.verb = Verb::kAcquire, .key = kRead}, 1);
    clients.go_to(kWritePeriod);
    (void)clients.finish(1, OperationFault::kLate);
    EXPECT_TRUE(clients.arrive());
    EXPECT_EQ(clients.shared().lock[kRead][0].id, 0);  // it was judged by the first
}

TEST(MultiLock, reads_the_clock_once_where_there_is_nothing_to_judge) {
    MultiLockOptions options = for_readers_and_writers();
    options.cooperative = {0, 0};
    Clients clients{MultiLock(options)};
    clients.begin(0, {.verb = Verb::kAcquire, .key = kRead}, 2);
    EXPECT_NE(clients.shared().lock[kRead][0].id, 0);  // pushed by the second step
}

TEST(MultiLock, of_an_unknown_tag_sends_nothing) {
    MultiLockOptions options = for_readers_and_writers();
    options.unknown = kReadSet;
    Clients clients{MultiLock(options)};
    EXPECT_EQ(clients.acquire(0, kRead), "TypeError");
    EXPECT_EQ(clients.shared().lock[kRead][0].id, 0);
    EXPECT_EQ(clients.acquire(1, kWrite), "ok");
}

TEST(MultiLock, never_takes_an_entry_for_old_whose_tag_has_no_time_out) {
    MultiLockOptions options = for_readers_and_writers();
    options.lock_timeouts = {kReadPeriod, kNeverOld};
    Clients clients{MultiLock(options)};
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    EXPECT_EQ(clients.next_stop(), -1);
    clients.go_to(60'000);
    EXPECT_EQ(clients.acquire(1, kRead), "CooperativeLock");
    EXPECT_TRUE(clients.holds(0, kWrite));
}

TEST(MultiLock, asks_again_by_the_time_of_its_own_entry) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kCurrentClock}}) {
        Clients clients = readers_and_writers(repairs);
        EXPECT_EQ(clients.acquire(0, kRead), "ok");
        clients.go_to(kReadPeriod - 1);
        EXPECT_EQ(clients.acquire(1, kWrite), "AssertiveLock");
        clients.go_to(kReadPeriod);
        EXPECT_EQ(ask_again(clients, 1), repairs == 0 ? "AssertiveLock" : "ok");
    }
}

TEST(MultiLock, says_what_it_finds_when_an_update_does_not_match) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.release(0, kRead), "LockNotFound");
    EXPECT_EQ(clients.acquire(0, kRead, OperationFault::kAckLost), "DbError");
    EXPECT_EQ(clients.acquire(1, kWrite), "AssertiveLock");  // an entry that nobody knows of
    clients.shared().exists = 0;
    EXPECT_EQ(clients.acquire(0, kRead), "RessourceNotFound");
    EXPECT_EQ(clients.release(0, kRead, OperationFault::kReadFails), "silent");
}

TEST(MultiLock, asks_again_and_withdraws_only_with_a_lock_that_it_was_given) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    EXPECT_EQ(clients.acquire(1, kWrite), "CooperativeLock");
    EXPECT_EQ(ask_again(clients, 1), "LockNotFound");
    EXPECT_EQ(clients.release(0, kWrite), "ok");
    EXPECT_EQ(clients.acquire(1, kWrite, OperationFault::kAckLost), "DbError");
    EXPECT_EQ(ask_again(clients, 1), "LockNotFound");
    EXPECT_EQ(call(clients, 1, MultiLockCall::kWithdraw), "LockNotFound");
    EXPECT_EQ(clients.release(1, kWrite), "LockNotFound");
    EXPECT_EQ(clients.acquire(0, kWrite), "CooperativeLock");  // the entry stands
}

TEST(MultiLock, asked_again_by_a_holder_says_ok_and_grants_nothing_more) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kOwnEntry}}) {
        Clients clients = who_ask_again(repairs);
        EXPECT_EQ(clients.acquire(0, kWrite), "ok");
        EXPECT_EQ(ask_again(clients, 0), "ok");
        EXPECT_TRUE(clients.holds(0, kWrite));
        EXPECT_EQ(clients.release(0, kWrite), "ok");
        EXPECT_FALSE(clients.holds(0, kWrite));
    }
}

// It looks for readers, not for its own entry.
TEST(MultiLock, asked_again_with_a_released_lock_says_ok_although_nothing_is_there) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kOwnEntry}}) {
        Clients clients = who_ask_again(repairs);
        EXPECT_EQ(clients.acquire(0, kWrite), "ok");
        EXPECT_EQ(clients.release(0, kWrite), "ok");
        EXPECT_EQ(ask_again(clients, 0), repairs == 0 ? "ok" : "LockNotFound");
        EXPECT_FALSE(clients.holds(0, kWrite));
        EXPECT_EQ(clients.acquire(1, kWrite), "ok");
        EXPECT_EQ(clients.release(0, kWrite), "LockNotFound");
        EXPECT_EQ(clients.acquire(2, kWrite), "CooperativeLock");
    }
}

TEST(MultiLock, asked_again_by_a_holder_whose_entry_is_old_tells_it_of_the_loss) {
    Clients clients = who_ask_again(kOwnEntry);
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    clients.go_to(kWritePeriod);
    EXPECT_EQ(ask_again(clients, 0), "LockNotFound");
    EXPECT_TRUE(clients.last().is(kLost));
    EXPECT_EQ(clients.acquire(1, kWrite), "ok");
}

TEST(MultiLock, withdraws_the_entry_of_an_assertive_lock) {
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kRead), "ok");
    EXPECT_EQ(clients.acquire(1, kWrite), "AssertiveLock");
    EXPECT_EQ(call(clients, 1, MultiLockCall::kWithdraw), "ok");
    EXPECT_EQ(clients.acquire(2, kRead), "ok");
}

TEST(MultiLock, compares_by_the_clock_that_it_read_before_a_slow_request) {
    for (const unsigned repairs :
         {unsigned{kAllMultiLockRepairs}, kAllMultiLockRepairs & ~unsigned{kMultiOwnDeadline}}) {
        Clients clients = readers_and_writers(static_cast<std::uint16_t>(repairs));
        clients.begin(0, {.verb = Verb::kAcquire, .key = kWrite}, 4);  // pushed, clock read again
        clients.go_to(kWritePeriod);
        EXPECT_EQ(clients.acquire(1, kWrite), "ok");
        EXPECT_EQ(clients.finish(0), repairs == kAllMultiLockRepairs ? "DbError" : "ok");
    }
}

TEST(MultiLock, looks_at_the_clock_after_the_answer_to_a_release) {
    Clients clients = readers_and_writers(kAllMultiLockRepairs);
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    clients.begin(0, {.verb = Verb::kRelease, .key = kWrite}, 1);
    clients.go_to(kWritePeriod);
    EXPECT_EQ(clients.finish(0), "LockNotFound");
}

TEST(MultiLock, reads_of_a_lagging_replica_what_was_there_before) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kOwnEntry}}) {
        Clients clients = readers_and_writers(repairs);
        EXPECT_EQ(clients.acquire(0, kRead), "ok");
        EXPECT_EQ(clients.acquire(1, kWrite, OperationFault::kReadLagsMore),
                  repairs == 0 ? "ok" : "DbError");
    }
    Clients clients = readers_and_writers();
    EXPECT_EQ(clients.acquire(0, kRead), "ok");  // before the entry of the writer
    EXPECT_EQ(clients.acquire(1, kWrite, OperationFault::kReadLags), "AssertiveLock");
}

TEST(MultiLock, expires_by_the_period_of_who_wants_it) {
    Clients clients = readers_and_writers(
        0, {{}, {.lock_timeout = kWritePeriod - 1}, {.lock_timeouts = {0, kWritePeriod - 2}}});
    EXPECT_EQ(clients.acquire(0, kWrite), "ok");
    clients.go_to(kWritePeriod - 2);
    EXPECT_EQ(clients.acquire(1, kWrite), "CooperativeLock");
    EXPECT_EQ(clients.acquire(2, kWrite), "ok");
}

// A naive model of the lock for one client after the other.
struct NaiveLock {
    struct Entry {
        std::size_t who;
        std::int32_t timestamp;
    };
    std::map<std::uint8_t, std::vector<Entry>> entries;

    static std::int32_t period(std::uint8_t tag) {
        return tag == kRead ? kReadPeriod : kWritePeriod;
    }
    bool is_free(std::uint8_t tag, std::int32_t now) {
        bool some = entries[tag].empty();
        for (const Entry& entry : entries[tag]) {
            some = some || entry.timestamp + period(tag) <= now;
        }
        return some;
    }
    std::string acquire(std::size_t who, std::uint8_t tag, std::int32_t now) {
        if (!is_free(kWrite, now)) {
            return "CooperativeLock";
        }
        entries[tag].push_back({who, now});
        return tag == kRead || is_free(kRead, now) ? "ok" : "AssertiveLock";
    }
    std::string release(std::size_t who, std::uint8_t tag) {
        const auto erased =
            std::erase_if(entries[tag], [&](const Entry& e) { return e.who == who; });
        return erased > 0 ? "ok" : "LockNotFound";
    }
    bool has(std::size_t who, std::uint8_t tag) {
        return std::any_of(entries[tag].begin(), entries[tag].end(),
                           [&](const Entry& entry) { return entry.who == who; });
    }
};

TEST(MultiLock, does_call_after_call_what_its_naive_twin_does) {
    EXPECT_TRUE(rc::check([] {
        Clients clients = readers_and_writers();
        NaiveLock naive;
        std::int32_t now = 0;
        for (int calls = *rc::gen::inRange(1, 40); calls > 0; --calls) {
            now += *rc::gen::element(0, 0, 1, kWritePeriod, kReadPeriod - 1, kReadPeriod);
            clients.go_to(now);
            const auto who = *rc::gen::inRange<std::size_t>(0, 4);
            const auto tag = *rc::gen::element(kRead, kWrite);
            if (naive.has(who, tag)) {
                RC_ASSERT(clients.release(who, tag) == naive.release(who, tag));
            } else {
                RC_ASSERT(clients.acquire(who, tag) == naive.acquire(who, tag, now));
            }
        }
    }));
}

}  // namespace
}  // namespace lockkeeper::monglock
