// SPDX-License-Identifier: Apache-2.0

// A write lock and the tags of a multi lock in the field of one document, and several documents.
#include <map>
#include <optional>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "impl/monglock/clients_test.hpp"
#include "impl/monglock/multi_lock.hpp"

namespace lockkeeper::monglock {
namespace {

constexpr std::uint8_t kReadKind = 0;
constexpr std::uint8_t kWriteKind = 1;
constexpr std::uint8_t kLock = 2;  // the write lock
constexpr std::int32_t kPeriod = 10;

using Clients = testing_monglock::Clients<MultiLock>;

MultiLockOptions tags() {
    MultiLockOptions options;
    options.keys = {"read", "write", "lock"};
    options.lock_timeouts = {kPeriod, kPeriod, kPeriod};
    options.cooperative = {1U << kWriteKind, (1U << kWriteKind) | (1U << kReadKind), 0};
    options.assertive = {0, 0, 0};
    options.write_locks = 1U << kLock;
    options.clients.resize(4);
    options.grace = 1;
    options.faults = testing_monglock::plenty();
    return options;
}
Clients both_kinds(std::uint16_t repairs = 0) {
    MultiLockOptions options = tags();
    options.repairs = repairs;
    return Clients(MultiLock(options));
}

TEST(BothKinds, a_tag_that_was_pushed_once_keeps_the_write_lock_from_being_taken_for_ever) {
    Clients clients = both_kinds();
    EXPECT_EQ(clients.acquire(0, kReadKind), "ok");
    EXPECT_EQ(clients.release(0, kReadKind), "ok");
    clients.go_to(10 * kPeriod);
    EXPECT_EQ(clients.acquire(1, kLock), "LockAlreadyTaken");
}

TEST(BothKinds, a_write_lock_that_was_there_first_removes_the_tags_when_it_is_taken_again) {
    Clients clients = both_kinds();
    EXPECT_EQ(clients.acquire(0, kLock), "ok");
    EXPECT_EQ(clients.acquire(1, kReadKind), "ok");  // beside it: no tag asks for it
    EXPECT_EQ(clients.acquire(2, kLock), "LockAlreadyTaken");
    EXPECT_EQ(clients.release(0, kLock), "ok");
    EXPECT_EQ(clients.acquire(2, kWriteKind), "CooperativeLock");
    EXPECT_EQ(clients.acquire(2, kLock), "ok");
    EXPECT_FALSE(clients.holds(1, kReadKind));
    EXPECT_EQ(clients.acquire(3, kWriteKind), "ok");
    EXPECT_EQ(clients.release(1, kReadKind), "LockNotFound");
}

TEST(BothKinds, with_a_field_each_they_do_not_meet) {
    Clients clients = both_kinds(kOwnFields);
    EXPECT_EQ(clients.acquire(0, kReadKind), "ok");
    EXPECT_EQ(clients.acquire(1, kLock), "ok");
    EXPECT_EQ(clients.acquire(2, kLock), "LockAlreadyTaken");
    EXPECT_TRUE(clients.holds(0, kReadKind));
    EXPECT_EQ(clients.release(1, kLock), "ok");
    EXPECT_EQ(clients.release(0, kReadKind), "ok");
}

TEST(BothKinds, the_write_lock_is_taken_over_when_it_is_old_and_released_by_its_timestamp) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kOwnFields}}) {
        Clients clients = both_kinds(repairs);
        EXPECT_EQ(clients.acquire(0, kLock), "ok");
        clients.go_to(kPeriod - 1);
        EXPECT_EQ(clients.acquire(1, kLock), "LockAlreadyTaken");
        clients.go_to(kPeriod);
        EXPECT_EQ(clients.acquire(1, kLock), "ok");
        EXPECT_EQ(clients.release(0, kLock), "LockWasReacquired");
        EXPECT_TRUE(clients.holds(1, kLock));
        EXPECT_EQ(clients.release(1, kLock), "ok");
        EXPECT_EQ(clients.acquire(2, kLock), "ok");
    }
}

TEST(BothKinds, the_release_of_a_write_lock_compares_milliseconds_and_removes_anothers) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kOwnFields}}) {
        Clients clients = both_kinds(repairs);
        EXPECT_EQ(clients.acquire(0, kLock), "ok");
        clients.shared().lock[kLock][0].granted = 0;  // somebody has set it inactive
        EXPECT_EQ(clients.acquire(1, kLock), "ok");   // in the same millisecond
        EXPECT_EQ(clients.release(0, kLock), repairs == 0 ? "ok" : "LockWasReacquired");
        EXPECT_EQ(clients.holds(1, kLock), repairs != 0);
    }
}

TEST(BothKinds, the_clean_up_of_a_write_lock_sets_it_inactive) {
    Clients clients = both_kinds(kMultiCleanUp);
    EXPECT_EQ(clients.acquire(0, kLock, OperationFault::kAckLost), "endless");
    EXPECT_EQ(clients.finish(0), "DbError");
    EXPECT_EQ(clients.phantoms(kLock), 0U);
    EXPECT_EQ(clients.acquire(1, kLock), "ok");
}

TEST(BothKinds, a_release_that_is_sent_again_is_no_loss_of_a_lock_that_was_its_own) {
    for (const auto repairs : {std::uint16_t{0}, std::uint16_t{kMultiAppliedOnce}}) {
        Clients clients = both_kinds(repairs);
        EXPECT_EQ(clients.acquire(0, kLock), "ok");
        EXPECT_EQ(clients.release(0, kLock, OperationFault::kSentAgain), "ok");
        EXPECT_FALSE(clients.last().is(Breach::kFalseOk));
    }
    Clients clients = both_kinds();
    EXPECT_EQ(clients.acquire(0, kLock), "ok");
    clients.shared().lock[kLock][0].granted = 0;
    EXPECT_EQ(clients.release(0, kLock), "ok");
    EXPECT_TRUE(clients.last().is(Breach::kFalseOk));
}

TEST(BothKinds, the_write_lock_excludes_itself_and_no_tag) {
    const MultiLock lock(tags());
    EXPECT_TRUE(lock.excludes(kLock, kLock));
    EXPECT_FALSE(lock.excludes(kLock, kReadKind));
    EXPECT_FALSE(lock.excludes(kReadKind, kLock));
}

// A naive model of the document: one client after the other, no time-outs of tags.
struct NaiveDocument {
    struct WriteLock {
        bool active;
        std::int32_t timestamp;
    };
    bool has_field = false;
    std::optional<WriteLock> write;
    std::map<std::size_t, std::uint8_t> entries;  // by client: its tag

    std::string acquire(std::size_t who, std::uint8_t key, std::int32_t now) {
        if (key == kLock) {
            const bool is_free = !has_field || (write && !write->active) ||
                                 (write && write->timestamp + kPeriod <= now);
            if (!is_free) {
                return "LockAlreadyTaken";
            }
            entries.clear();
            write = WriteLock{true, now};
            has_field = true;
            return "ok";
        }
        for (const auto& [other, tag] : entries) {
            if (tag == kWriteKind || key == kWriteKind) {
                return "CooperativeLock";
            }
        }
        entries[who] = key;
        has_field = true;
        return "ok";
    }
    std::string release_tag(std::size_t who) {
        return entries.erase(who) > 0 ? "ok" : "LockNotFound";
    }
    std::string release_write(std::int32_t timestamp) {
        if (!write || write->timestamp != timestamp) {
            return "LockWasReacquired";
        }
        write->active = false;
        return "ok";
    }
};

TEST(BothKinds, do_call_after_call_what_their_naive_twin_does) {
    EXPECT_TRUE(rc::check([] {
        MultiLockOptions options = tags();
        options.lock_timeouts = {kNeverOld, kNeverOld, kPeriod};
        Clients clients{MultiLock(options)};
        NaiveDocument naive;
        std::int32_t now = 0;
        std::map<std::size_t, std::uint8_t> tag_of;
        std::map<std::size_t, std::int32_t> taken_at;
        for (int calls = *rc::gen::inRange(1, 40); calls > 0; --calls) {
            now += *rc::gen::element(0, 1, kPeriod - 1, kPeriod);
            clients.go_to(now);
            const auto who = *rc::gen::inRange<std::size_t>(0, 4);
            if (taken_at.contains(who)) {
                RC_ASSERT(clients.release(who, kLock) == naive.release_write(taken_at[who]));
                taken_at.erase(who);
            } else if (tag_of.contains(who)) {
                RC_ASSERT(clients.release(who, tag_of[who]) == naive.release_tag(who));
                tag_of.erase(who);
            } else {
                const auto key = *rc::gen::element(kReadKind, kWriteKind, kLock);
                const std::string result = naive.acquire(who, key, now);
                RC_ASSERT(clients.acquire(who, key) == result);
                if (result == "ok" && key == kLock) {
                    taken_at[who] = now;
                } else if (result == "ok") {
                    tag_of[who] = key;
                }
            }
        }
    }));
}

// --- several documents -------------------------------------------------------------------------

// "x.read", "x.write", "y.read", "y.write".
Clients two_documents() {
    MultiLockOptions options;
    options.keys = {"x.read", "x.write", "y.read", "y.write"};
    options.lock_timeouts = {kPeriod, kPeriod, kPeriod, kPeriod};
    options.cooperative = {1U << 1U, 1U << 0U, 1U << 3U, 1U << 2U};
    options.assertive = {0, 0, 0, 0};
    options.documents = {0, 0, 1, 1};
    options.clients.resize(4);
    options.faults = testing_monglock::plenty();
    options.faults.failovers = 2;
    options.faults.deletions = 1;
    return Clients(MultiLock(options));
}

TEST(Documents, of_a_multi_lock_have_nothing_to_do_with_each_other) {
    Clients clients = two_documents();
    EXPECT_EQ(clients.acquire(0, 0), "ok");
    EXPECT_EQ(clients.acquire(1, 1), "CooperativeLock");
    EXPECT_EQ(clients.acquire(1, 3), "ok");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kDelete));
    EXPECT_EQ(clients.acquire(2, 0), "RessourceNotFound");
    EXPECT_EQ(clients.acquire(2, 2), "CooperativeLock");
    EXPECT_FALSE(clients.holds(0, 0));
    EXPECT_TRUE(clients.holds(1, 3));
}

TEST(Documents, forget_their_own_newest_write_each) {
    Clients clients = two_documents();
    EXPECT_EQ(clients.acquire(0, 0), "ok");
    EXPECT_EQ(clients.acquire(1, 2), "ok");
    EXPECT_TRUE(clients.disturb(0, Disturbance::kForget));
    EXPECT_FALSE(clients.holds(0, 0));
    EXPECT_TRUE(clients.holds(1, 2));
}

TEST(Documents, are_read_from_a_replica_that_lags_behind_in_each_of_them) {
    Clients clients = two_documents();
    EXPECT_EQ(clients.acquire(0, 0), "ok");
    EXPECT_TRUE(clients.disturb(1, Disturbance::kDelete));
    // The replica has not seen the deletion of y; the look says so.
    EXPECT_EQ(clients.acquire(1, 2, OperationFault::kReadLags), "CooperativeLock");
    EXPECT_EQ(clients.acquire(1, 1), "CooperativeLock");
}

}  // namespace
}  // namespace lockkeeper::monglock
