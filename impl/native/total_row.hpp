// SPDX-License-Identifier: Apache-2.0

// The row of a key in the repaired canal lock: one word, the number of units in use.
//
// The repaired algorithm updates the whole row at once (impl/canal/canal_row.hpp). While all
// callers agree about max_per, its buckets are filled from the left without a hole (invariant R1
// there), so the row is a function of its total: bucket i counts clamp(total - (i - 1) * max_per,
// 0, max_per). Keeping the total alone makes "one conditional update of the whole row" one
// compare-and-swap, for any number of buckets. native_conformance_test.cpp compares each step with
// the model's row. Callers that disagree about max_per are each compared with their own capacity;
// the model, which keeps the buckets, refuses some that still fit here.
//
// Lock-free, not wait-free: a take can be overtaken any number of times, a give-back cannot.
#pragma once

#include "impl/native/native_atomics.hpp"
#include "impl/native/native_types.hpp"

namespace lockkeeper::native {

template <class Atomics>
class TotalRow {
  public:
    // A release first takes the unit from the caller's tally: see native_core.hpp.
    static constexpr bool kClaimsFirst = true;
    struct Options {};

    TotalRow() = default;
    explicit TotalRow(const Options&) {}

    Acquired take(View view) {
        const std::uint64_t capacity = view.capacity();
        // Relaxed: the value is a guess that the exchange below checks. A refusal is decided by it
        // alone, and gives no right to touch anything; it cannot miss a give-back that happens
        // before this call, because reads of one atomic do not go backwards.
        std::uint64_t total = total_.load(std::memory_order_relaxed);
        while (total < capacity) {
            // Acquire, when it succeeds: what former holders did with the resource is visible to
            // the new one. It reads from the last give-back or from an update after it; updates
            // continue a release sequence, so their own order need not contain release.
            // Relaxed, when it fails: as for the load.
            if (total_.compare_exchange_weak(total, total + 1, std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
                Atomics::step(canal::At::kTake, 0, static_cast<std::int64_t>(total + 1));
                return {AcquireStatus::kAcquired, total + 1};
            }
        }
        Atomics::step(canal::At::kTake, 0, static_cast<std::int64_t>(total));
        return {AcquireStatus::kFull, 0};
    }

    // Invariant N1: whoever calls this has claimed a unit that was taken from this row, and its
    // take happens before this call. So the total is above 0.
    ReleaseStatus give_back(std::uint32_t /*max_per*/) {
        // Release: what this holder did with the resource is visible to whoever takes the unit.
        // Nothing is read that others wrote, so no acquire.
        const std::uint64_t before = total_.fetch_sub(1, std::memory_order_release);
        Atomics::step(canal::At::kGiveBack, 0, static_cast<std::int64_t>(before) - 1);
        return ReleaseStatus::kReleased;
    }

    [[nodiscard]] static std::uint32_t manager_max_per() { return 0; }  // nobody asks

    // Units in use, those included that are being taken or given back right now. Exact when nobody
    // is inside a call and those calls happen before this one.
    [[nodiscard]] std::uint64_t in_use() const { return total_.load(std::memory_order_relaxed); }

  private:
    typename Atomics::template Atomic<std::uint64_t> total_{0};
};

}  // namespace lockkeeper::native
