// SPDX-License-Identifier: Apache-2.0

// The row of a key in the canal lock as published: a counter for each bucket, and `highest`. The
// steps and their numbers are those of impl/canal/canal_label.hpp. It leaks and over-allocates, by
// the executions of docs/findings/canal_lock.md: it is here to be compared with, not to be used.
//
// Memory orders: all sequentially consistent, which is the default of every access below. The
// published steps are operations of an ETS table, each of which happens at once and for everybody;
// only this order keeps that meaning, so that what is found is the algorithm's fault and not the
// order's.
//
// Limits: kBucketsMax buckets; a view with more fails.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "impl/native/native_atomics.hpp"
#include "impl/native/native_types.hpp"

namespace lockkeeper::native {

template <class Atomics, std::size_t BucketsMax = 64>
class BucketRow {
  public:
    using At = canal::At;
    static constexpr bool kClaimsFirst = false;
    static constexpr std::uint32_t kBucketsMax = BucketsMax;
    static constexpr std::int32_t kAbsent = std::numeric_limits<std::int32_t>::min();

    struct Options {
        std::uint32_t max_decr_tries = 15;
        std::uint32_t manager_max_per = 1;  // what is given back for the dead is given back with it
        // This many buckets exist from the beginning, empty. 0: cold, as published.
        std::uint32_t warm_buckets = 0;
    };

    BucketRow() : BucketRow(Options{}) {}
    explicit BucketRow(const Options& options)
        : max_decr_tries_(options.max_decr_tries), manager_max_per_(options.manager_max_per) {
        for (std::uint32_t bucket = 1; bucket <= kBucketsMax; ++bucket) {
            counter(bucket).store(bucket <= options.warm_buckets ? 0 : kAbsent);
        }
        if (options.warm_buckets > 0) {
            highest_.store(static_cast<std::int32_t>(options.warm_buckets));
        }
    }

    Acquired take(View view) {
        if (view.buckets > kBucketsMax || view.max_per == 0) {
            return {AcquireStatus::kFailed, 0};
        }
        const auto cap = static_cast<std::int32_t>(view.max_per) + 1;
        std::uint32_t bucket = 1;
        while (true) {
            const std::int32_t count = add_capped(bucket, cap);  // 1
            if (count == kAbsent) {
                if (insert_new(bucket)) {  // 2
                    return register_bucket(bucket) ? granted(bucket, 1, view)
                                                   : Acquired{AcquireStatus::kFailed, 0};
                }
            } else if (count != cap || bucket > view.buckets) {
                return granted(bucket, count, view);
            } else if (bucket == view.buckets) {
                return {AcquireStatus::kFull, 0};
            } else {
                ++bucket;
            }
        }
    }

    ReleaseStatus give_back(std::uint32_t max_per) {
        const std::int32_t highest = highest_.load();
        Atomics::step(At::kReadHighest, 0, highest);  // 5
        if (highest == kAbsent) {
            return ReleaseStatus::kFailed;
        }
        const auto limit = static_cast<std::int32_t>(max_per);
        for (auto bucket = static_cast<std::uint32_t>(highest); bucket > 0; --bucket) {
            const std::int32_t count = change(At::kSubtract, bucket, one_less);  // 6
            if (count > limit || count == kAbsent) {
                return ReleaseStatus::kFailed;
            }
            if (count >= 0) {
                return count < limit ? ReleaseStatus::kReleased : subtract_mark(bucket, limit);
            }
            change(At::kUndo, bucket, [](std::int32_t n) { return n + 1; });  // 7
        }
        return ReleaseStatus::kReleased;  // logged as out_of_buckets
    }

    [[nodiscard]] std::uint32_t manager_max_per() const { return manager_max_per_; }

    // Exact when nobody is inside a call. kAbsent: not there.
    [[nodiscard]] std::int32_t value(std::uint32_t bucket) const {
        return counters_[bucket - 1].load();
    }
    [[nodiscard]] std::int32_t highest() const { return highest_.load(); }
    // Units, those below 0 and cap marks included.
    [[nodiscard]] std::uint64_t in_use() const {
        std::int64_t sum = 0;
        for (std::uint32_t bucket = 1; bucket <= kBucketsMax; ++bucket) {
            sum += value(bucket) == kAbsent ? 0 : value(bucket);
        }
        return static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
    }

  private:
    using Counter = typename Atomics::template Atomic<std::int32_t>;

    Counter& counter(std::uint32_t bucket) { return counters_[bucket - 1]; }

    static std::int32_t one_less(std::int32_t count) { return count - 1; }

    // One atomic update. An absent counter stays so; a value that does not change is not stored.
    template <class Change>
    std::int32_t change(At label, std::uint32_t bucket, Change how) {
        std::int32_t before = counter(bucket).load();
        while (before != kAbsent) {
            const std::int32_t after = how(before);
            if (after == before || counter(bucket).compare_exchange_weak(before, after)) {
                Atomics::step(label, bucket, after);
                return after;
            }
        }
        Atomics::step(label, bucket, kAbsent);
        return kAbsent;
    }

    std::int32_t add_capped(std::uint32_t bucket, std::int32_t cap) {
        return change(At::kUpdateCounter, bucket,
                      [cap](std::int32_t n) { return std::min(n + 1, cap); });
    }

    bool insert_new(std::uint32_t bucket) {
        std::int32_t before = kAbsent;
        bool created = false;
        while (!created && before == kAbsent) {
            created = counter(bucket).compare_exchange_weak(before, 1);
        }
        Atomics::step(At::kInsertNew, bucket, created ? 1 : kAbsent);
        return created;
    }

    // False: `highest` is absent.
    bool register_bucket(std::uint32_t bucket) {  // 3
        if (bucket == 1) {
            highest_.store(1);
            Atomics::step(At::kRegister, bucket, 1);
            return true;
        }
        std::int32_t before = highest_.load();
        while (before != kAbsent && !highest_.compare_exchange_weak(before, before + 1)) {
        }
        Atomics::step(At::kRegister, bucket, before == kAbsent ? kAbsent : before + 1);
        return before != kAbsent;
    }

    ReleaseStatus subtract_mark(std::uint32_t bucket, std::int32_t limit) {
        for (std::uint32_t tries = max_decr_tries_; tries > 0; --tries) {  // 8
            const std::int32_t count = change(At::kSubtractMark, bucket,
                                              [](std::int32_t n) { return std::max(n - 1, 0); });
            if (count != limit) {
                return count < limit ? ReleaseStatus::kReleased : ReleaseStatus::kFailed;
            }
        }
        change(At::kForce, bucket, [](std::int32_t n) { return std::max(n - 2, 0); });  // 9
        return ReleaseStatus::kReleased;
    }

    static Acquired granted(std::uint32_t bucket, std::int32_t position, View view) {
        const std::int64_t count = (std::int64_t{bucket} - 1) * view.max_per + position;
        return {AcquireStatus::kAcquired,
                static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0))};
    }

    std::array<Counter, BucketsMax> counters_{};
    Counter highest_{kAbsent};
    std::uint32_t max_decr_tries_;
    std::uint32_t manager_max_per_;
};

}  // namespace lockkeeper::native
