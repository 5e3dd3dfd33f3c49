// SPDX-License-Identifier: Apache-2.0

// The public table of the canal lock and its single atomic operations. Each function here is one
// access, as ets:update_counter, ets:insert_new and ets:lookup_element are; nothing is held
// between two of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "model/check.hpp"

namespace lockkeeper::canal {

template <class Size>
struct Table {
    using Counter = typename Size::Counter;
    static constexpr Counter kAbsent = std::numeric_limits<Counter>::min();

    // The row of one key. Buckets are numbered from 1, as in the text.
    struct Row {
        std::array<Counter, Size::kBuckets> buckets;
        Counter highest;

        [[nodiscard]] bool has(std::size_t bucket) const {
            return bucket >= 1 && bucket <= Size::kBuckets && buckets[bucket - 1] != kAbsent;
        }
        [[nodiscard]] std::int32_t value(std::size_t bucket) const {
            return has(bucket) ? buckets[bucket - 1] : 0;
        }

        // Adds 1; a result above `cap` is stored as `cap`. Absent: fails without effect.
        std::optional<std::int32_t> add_capped(std::size_t bucket, std::int32_t cap) {
            if (!has(bucket)) {
                return std::nullopt;
            }
            return store(bucket, std::min(buckets[bucket - 1] + 1, cap));
        }
        std::optional<std::int32_t> subtract(std::size_t bucket) {
            if (!has(bucket)) {
                return std::nullopt;
            }
            return store(bucket, buckets[bucket - 1] - 1);
        }
        // A result below 0 is stored as 0.
        std::optional<std::int32_t> subtract_floored(std::size_t bucket, std::int32_t amount) {
            if (!has(bucket)) {
                return std::nullopt;
            }
            return store(bucket, std::max(buckets[bucket - 1] - amount, 0));
        }
        std::optional<std::int32_t> add(std::size_t bucket) {
            if (!has(bucket)) {
                return std::nullopt;
            }
            return store(bucket, buckets[bucket - 1] + 1);
        }
        bool insert_new(std::size_t bucket, std::int32_t initial) {
            if (has(bucket)) {
                return false;
            }
            store(bucket, initial);
            return true;
        }
        // LimitExceeded: a counter of the compiled size cannot be so large or so small.
        std::int32_t store(std::size_t bucket, std::int32_t counter) {
            const auto stored = static_cast<Counter>(counter);
            if (stored != counter || stored == kAbsent) [[unlikely]] {
                does_not_fit(counter);
            }
            buckets[bucket - 1] = stored;
            return counter;
        }
        void set_highest(std::int32_t bucket) {
            highest = static_cast<Counter>(bucket);
            if (highest != bucket || highest == kAbsent) [[unlikely]] {
                does_not_fit(bucket);
            }
        }
        void clear() {
            buckets.fill(kAbsent);
            highest = kAbsent;
        }

      private:
        [[noreturn]] LOCKKEEPER_SELDOM static void does_not_fit(std::int32_t counter) {
            throw LimitExceeded("a counter of " + std::to_string(counter));
        }
    };
};

}  // namespace lockkeeper::canal
