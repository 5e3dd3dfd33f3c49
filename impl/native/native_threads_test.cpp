// SPDX-License-Identifier: Apache-2.0

// The native canal lock used by real threads, at full speed and under the thread sanitizer:
// recorded histories judged afterwards, and what is left when everybody has gone.
#include <array>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "impl/native/native_lock.hpp"
#include "impl/native/recorded_history_test.hpp"

namespace lockkeeper::native {
namespace {

using testing_native::Attempt;
using testing_native::Judge;
using testing_native::Judgement;
using testing_native::Tickets;
using Lock = RepairedCanalLock;

#ifdef LOCKKEEPER_SANITIZED
constexpr int kAttempts = 3'000;
#else
constexpr int kAttempts = 40'000;
#endif

// All begin at once, and have gone when this returns.
template <class Work>
void run_threads(std::size_t count, Work work) {
    std::latch begin(static_cast<std::ptrdiff_t>(count));
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            begin.arrive_and_wait();
            work(i);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

Attempt attempt(Lock& lock, Lock::Holder& holder, Lock::Key& key, View view, Tickets& tickets) {
    Attempt made;
    made.capacity = view.capacity();
    made.called = tickets.draw();
    auto unit = lock.acquire(holder, key, view);
    made.returned = tickets.draw();
    made.granted = static_cast<bool>(unit);
    if (made.granted) {
        made.release_called = tickets.draw();
        unit.release();
        made.release_returned = tickets.draw();
    }
    return made;
}

// Thread i sees views[i % size], and another one every so often.
Judgement record(const std::vector<View>& views, std::size_t threads) {
    Lock lock;
    Tickets tickets;
    std::vector<std::vector<Attempt>> recorded(threads);
    run_threads(threads, [&](std::size_t i) {
        auto holder = lock.join();
        Lock::Key& key = lock.key("db");
        recorded[i].reserve(kAttempts);
        for (int n = 0; n < kAttempts; ++n) {
            const View view = views[(i + static_cast<std::size_t>(n) / 64) % views.size()];
            recorded[i].push_back(attempt(lock, holder, key, view, tickets));
        }
    });
    EXPECT_EQ(lock.key("db").row.in_use(), 0U);
    std::vector<Attempt> all;
    for (const auto& of_one : recorded) {
        all.insert(all.end(), of_one.begin(), of_one.end());
    }
    return Judge::judge(all);
}

TEST(NativeLockThreads, histories_of_equal_views_have_neither_over_nor_under_allocation) {
    const Judgement judgement = record({{1, 2}}, 4);
    EXPECT_TRUE(judgement.faults.empty()) << judgement.faults.front();
    EXPECT_LE(judgement.most_at_once, 2U);
    EXPECT_GT(judgement.granted, 0U);
}

TEST(NativeLockThreads, histories_of_a_mutex_have_neither_over_nor_under_allocation) {
    const Judgement judgement = record({{1, 1}}, 3);
    EXPECT_TRUE(judgement.faults.empty()) << judgement.faults.front();
    EXPECT_EQ(judgement.most_at_once, 1U);
}

TEST(NativeLockThreads, histories_of_resizes_have_neither_over_nor_under_allocation) {
    const Judgement judgement = record({{1, 1}, {1, 2}, {1, 3}, {2, 1}}, 4);
    EXPECT_TRUE(judgement.faults.empty()) << judgement.faults.front();
    EXPECT_LE(judgement.most_at_once, 3U);
}

// A plain variable: without acquire and release the thread sanitizer reports a race.
TEST(NativeLockThreads, what_one_holder_writes_the_next_one_sees) {
    Lock lock;
    std::uint64_t guarded = 0;
    std::array<std::uint64_t, 3> granted{};
    run_threads(granted.size(), [&](std::size_t i) {
        auto holder = lock.join();
        for (int n = 0; n < kAttempts; ++n) {
            if (const auto unit = lock.acquire(holder, "db", {1, 1})) {
                ++guarded;
                ++granted[i];
            }
        }
    });
    EXPECT_EQ(guarded, granted[0] + granted[1] + granted[2]);
}

TEST(NativeLockThreads, keys_may_be_used_for_the_first_time_by_everybody_at_once) {
    Lock lock;
    run_threads(4, [&](std::size_t) {
        auto holder = lock.join();
        for (int n = 0; n < kAttempts / 100; ++n) {
            const auto unit = lock.acquire(holder, std::to_string(n), {4, 1});
            EXPECT_TRUE(unit);
        }
    });
    for (int n = 0; n < kAttempts / 100; ++n) {
        EXPECT_EQ(lock.key(std::to_string(n)).row.in_use(), 0U);
    }
}

// Holders are reported as crashed while they go on, also twice and by two at once. Each unit that
// was granted came back once: by its handle, or by a report.
TEST(NativeLockThreads, crashes_reported_at_any_moment_bring_each_unit_back_once) {
    constexpr std::size_t kWorkers = 2;
    Lock lock;
    std::array<std::atomic<HolderId>, kWorkers> working{};
    std::atomic<std::uint64_t> granted{0};
    std::atomic<std::uint64_t> released{0};
    std::atomic<std::uint64_t> brought_back{0};
    std::atomic<std::size_t> at_work{kWorkers};
    run_threads(kWorkers + 2, [&](std::size_t i) {
        while (i >= kWorkers && at_work > 0) {
            brought_back += lock.on_crash(working[i % kWorkers]);
            brought_back += lock.on_crash(working[(i + 1) % kWorkers]);
        }
        std::optional<Lock::Holder> holder;
        for (int n = 0; i < kWorkers && n < kAttempts; ++n) {
            if (!holder) {
                holder.emplace(lock.join());
                working[i] = holder->id();
            }
            auto first = lock.acquire(*holder, "db", {2, 1});
            auto second = lock.acquire(*holder, "db", {2, 1});
            granted += (first ? 1U : 0U) + (second ? 1U : 0U);
            const bool gone = second.status() == AcquireStatus::kHolderGone;
            released += second.release() == ReleaseStatus::kReleased ? 1U : 0U;
            released += first.release() == ReleaseStatus::kReleased ? 1U : 0U;
            if (gone) {
                holder.reset();
            }
        }
        if (i < kWorkers) {
            --at_work;
        }
    });
    EXPECT_EQ(granted, released + brought_back);
    EXPECT_EQ(lock.key("db").row.in_use(), 0U);
}

// The judge itself, on histories written by hand: {capacity, granted, call .. release's return}.
TEST(RecordedHistory, a_grant_beyond_the_capacity_is_an_over_allocation) {
    const auto judgement = Judge::judge({{1, true, 1, 2, 7, 8}, {1, true, 3, 4, 5, 6}});
    ASSERT_EQ(judgement.faults.size(), 1U);
    EXPECT_EQ(judgement.faults[0], "over-allocation: the call of ticket 3 with capacity 1");
    EXPECT_EQ(judgement.most_at_once, 2U);
}

TEST(RecordedHistory, a_grant_that_overlaps_the_release_is_none) {
    EXPECT_TRUE(Judge::judge({{1, true, 1, 2, 4, 6}, {1, true, 3, 5, 7, 8}}).faults.empty());
}

TEST(RecordedHistory, a_refusal_while_nobody_can_hold_is_an_under_allocation) {
    const auto judgement = Judge::judge({{1, true, 1, 2, 3, 4}, {1, false, 5, 6, 0, 0}});
    ASSERT_EQ(judgement.faults.size(), 1U);
    EXPECT_EQ(judgement.faults[0], "under-allocation: the call of ticket 5 with capacity 1");
}

TEST(RecordedHistory, a_refusal_while_somebody_may_hold_is_none) {
    EXPECT_TRUE(Judge::judge({{1, true, 1, 5, 6, 7}, {1, false, 2, 3, 0, 0}}).faults.empty());
    EXPECT_TRUE(Judge::judge({{1, true, 1, 2, 3, 5}, {1, false, 4, 6, 0, 0}}).faults.empty());
}

}  // namespace
}  // namespace lockkeeper::native
