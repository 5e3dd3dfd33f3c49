// SPDX-License-Identifier: Apache-2.0

// The native canal lock used by one thread: what programs call.
#include "impl/native/native_lock.hpp"

#include <array>
#include <cstddef>
#include <new>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper::native {
namespace {

template <class Lock>
class NativeLock : public testing::Test {
  protected:
    Lock lock_;
    [[nodiscard]] std::uint64_t in_use(std::string_view key = "db") {
        return lock_.key(key).row.in_use();
    }
};
using Locks = testing::Types<RepairedCanalLock, PublishedCanalLock>;
TYPED_TEST_SUITE(NativeLock, Locks, );

TYPED_TEST(NativeLock, grants_as_many_as_the_view_has_room_for_and_counts_them) {
    auto holder = this->lock_.join();
    const View view{3, 2};
    std::vector<typename TypeParam::Unit> units;
    for (std::uint64_t count = 1; count <= 6; ++count) {
        units.push_back(this->lock_.acquire(holder, "db", view));
        EXPECT_TRUE(units.back());
        EXPECT_EQ(units.back().count(), count);
    }
    const auto refused = this->lock_.acquire(holder, "db", view);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.status(), AcquireStatus::kFull);
    units.clear();
    EXPECT_EQ(this->in_use(), 0U);
}

TYPED_TEST(NativeLock, another_view_is_a_resize) {
    auto holder = this->lock_.join();
    const auto first = this->lock_.acquire(holder, "db", {1, 1});
    EXPECT_FALSE(this->lock_.acquire(holder, "db", {1, 1}));
    const auto second = this->lock_.acquire(holder, "db", {1, 2});
    EXPECT_TRUE(second);
    EXPECT_FALSE(this->lock_.acquire(holder, "db", {1, 1}));
}

TYPED_TEST(NativeLock, keys_do_not_share_units) {
    auto holder = this->lock_.join();
    const auto one = this->lock_.acquire(holder, "one", {1, 1});
    const auto other = this->lock_.acquire(holder, "other", {1, 1});
    EXPECT_TRUE(one);
    EXPECT_TRUE(other);
}

TYPED_TEST(NativeLock, a_unit_is_given_back_once_by_whoever_has_its_handle) {
    auto holder = this->lock_.join();
    auto unit = this->lock_.acquire(holder, "db", {2, 1});
    auto other = this->lock_.acquire(holder, "db", {2, 1});
    const auto moved = std::move(unit);
    EXPECT_FALSE(unit);  // NOLINT(bugprone-use-after-move): that it is empty is the point
    EXPECT_TRUE(moved);
    EXPECT_EQ(other.release(), ReleaseStatus::kReleased);
    EXPECT_EQ(other.release(), ReleaseStatus::kNotHeld);
    EXPECT_EQ(this->in_use(), 1U);
}

TYPED_TEST(NativeLock, assigning_to_a_handle_gives_back_what_it_had) {
    auto holder = this->lock_.join();
    auto unit = this->lock_.acquire(holder, "one", {1, 1});
    unit = this->lock_.acquire(holder, "other", {1, 1});
    EXPECT_EQ(this->in_use("one"), 0U);
    EXPECT_EQ(this->in_use("other"), 1U);
}

TYPED_TEST(NativeLock, a_holder_that_leaves_leaves_nothing_behind) {
    auto holder = std::make_optional(this->lock_.join());
    const HolderId id = holder->id();
    holder.reset();
    EXPECT_EQ(this->lock_.on_crash(id), 0U);
}

// The handle lies in memory that nobody looks at again: its destructor never runs.
TYPED_TEST(NativeLock, a_holder_that_leaves_gives_back_what_a_lost_handle_had) {
    using Unit = typename TypeParam::Unit;
    alignas(Unit) std::array<std::byte, sizeof(Unit)> memory;
    auto holder = std::make_optional(this->lock_.join());
    new (memory.data()) Unit(this->lock_.acquire(*holder, "db", {3, 1}));
    EXPECT_EQ(this->in_use(), 1U);
    holder.reset();
    EXPECT_EQ(this->in_use(), 0U);
}

TEST(NativeTally, claims_each_unit_once_and_nothing_that_is_not_there) {
    Tally<StdAtomics> tally;
    EXPECT_FALSE(tally.remove());
    EXPECT_EQ(tally.units(), 0U);
    EXPECT_TRUE(tally.add());
    EXPECT_TRUE(tally.remove());
    EXPECT_FALSE(tally.remove());
    EXPECT_TRUE(tally.add());
    EXPECT_EQ(tally.close(), 1U);
    EXPECT_EQ(tally.close(), 0U);
    EXPECT_FALSE(tally.remove());
    EXPECT_FALSE(tally.add());
}

template <class Lock>
void expect_that_a_crash_brings_everything_back(Lock& lock) {
    auto holder = lock.join();
    auto bystander = lock.join();
    const auto kept = lock.acquire(bystander, "db", {3, 1});
    const auto first = lock.acquire(holder, "db", {3, 1});
    const auto second = lock.acquire(holder, "db", {3, 1});
    const auto third = lock.acquire(holder, "other", {3, 1});
    EXPECT_EQ(lock.on_crash(holder.id()), 3U);
    EXPECT_EQ(lock.key("db").row.in_use(), 1U);
    EXPECT_EQ(lock.key("other").row.in_use(), 0U);
}

TEST(RepairedNativeLock, a_crash_brings_all_units_of_the_holder_back_and_no_other) {
    RepairedCanalLock lock;
    expect_that_a_crash_brings_everything_back(lock);
}

TEST(PublishedNativeLock, a_crash_brings_all_units_of_the_holder_back_and_no_other) {
    PublishedCanalLock lock({.manager_max_per = 3});
    expect_that_a_crash_brings_everything_back(lock);
}

TEST(RepairedNativeLock, a_crash_may_be_reported_again_and_late_releases_give_nothing_back) {
    RepairedCanalLock lock;
    auto holder = lock.join();
    auto bystander = lock.join();
    const auto kept = lock.acquire(bystander, "db", {2, 1});
    auto unit = lock.acquire(holder, "db", {2, 1});
    EXPECT_EQ(lock.on_crash(holder.id()), 1U);
    EXPECT_EQ(lock.on_crash(holder.id()), 0U);
    EXPECT_EQ(unit.release(), ReleaseStatus::kNotHeld);
    EXPECT_EQ(lock.key("db").row.in_use(), 1U);
}

TEST(RepairedNativeLock, a_holder_that_is_gone_gets_nothing) {
    RepairedCanalLock lock;
    auto holder = lock.join();
    lock.on_crash(holder.id());
    const auto refused = lock.acquire(holder, "db", {2, 1});
    EXPECT_EQ(refused.status(), AcquireStatus::kHolderGone);
    auto again = lock.join();
    EXPECT_NE(again.id(), holder.id());
    EXPECT_TRUE(lock.acquire(again, "db", {2, 1}));
}

TEST(RepairedNativeLock, a_view_without_room_is_always_full) {
    RepairedCanalLock lock;
    auto holder = lock.join();
    EXPECT_EQ(lock.acquire(holder, "db", {5, 0}).status(), AcquireStatus::kFull);
    EXPECT_EQ(lock.acquire(holder, "db", {0, 5}).status(), AcquireStatus::kFull);
}

TEST(RepairedNativeLock, an_unknown_holder_has_nothing_to_give_back) {
    RepairedCanalLock lock;
    EXPECT_EQ(lock.on_crash(12345), 0U);
}

// The seeds' shell session: the second README's counts, and the listing of a bucket at its cap.
TEST(PublishedNativeLock, counts_and_marks_as_the_published_one) {
    BucketRow<StdAtomics, 3> row;
    const View view{3, 1};
    for (std::uint64_t count = 1; count <= 3; ++count) {
        EXPECT_EQ(row.take(view).count, count);
    }
    EXPECT_EQ(row.take(view).status, AcquireStatus::kFull);
    EXPECT_EQ(row.value(1), 4);
    EXPECT_EQ(row.take({3, 2}).count, 4U);
    EXPECT_EQ(row.value(2), 1);
    EXPECT_EQ(row.give_back(3), ReleaseStatus::kReleased);
    EXPECT_EQ(row.value(2), 0);
    EXPECT_EQ(row.give_back(3), ReleaseStatus::kReleased);
    EXPECT_EQ(row.value(1), 2);
}

TEST(PublishedNativeLock, a_view_beyond_its_buckets_fails) {
    BucketRow<StdAtomics, 3> row;
    EXPECT_EQ(row.take({1, 4}).status, AcquireStatus::kFailed);
}

}  // namespace
}  // namespace lockkeeper::native
