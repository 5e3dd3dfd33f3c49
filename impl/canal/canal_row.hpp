// SPDX-License-Identifier: Apache-2.0

// The two operations of the repaired lock: each is ONE conditional update of a key's whole row (in
// ETS a compare-and-replace of one object, in C++ a compare-and-swap; an attempt that fails changes
// nothing and is made again, so one step models it).
//
// Invariant R1: with one max_per for all callers the buckets to the left of the highest one that
// counts anything are full. Take fills from the left, give-back empties from the right, and nobody
// sees the row in between.
#pragma once

#include <cstdint>

#include "impl/canal/canal_options.hpp"
#include "impl/canal/canal_sizes.hpp"
#include "impl/canal/canal_table.hpp"
#include "model/event.hpp"
#include "model/operation.hpp"

namespace lockkeeper::canal {

template <class Size>
struct RowUpdate {
    using Row = typename Table<Size>::Row;

    [[nodiscard]] static std::int32_t total(const Row& row) {
        std::int32_t sum = 0;
        for (std::size_t bucket = 1; bucket <= Size::kBuckets; ++bucket) {
            sum += row.value(bucket);
        }
        return sum;
    }

    // Takes a unit from the leftmost bucket with room; false: the key is full for this view.
    static bool take(Row& row, const Operation& view, bool counts_whole_row, Event& event) {
        const std::int32_t before = total(row);
        event.value = before;
        if (counts_whole_row && before >= static_cast<std::int32_t>(view.capacity())) {
            return false;
        }
        std::size_t bucket = 1;
        while (bucket <= view.places && row.value(bucket) >= view.place_capacity) {
            ++bucket;
        }
        if (bucket > view.places) {
            return false;
        }
        row.insert_new(bucket, 0);
        const std::int32_t position = *row.add(bucket);
        if (row.highest == Table<Size>::kAbsent ||
            row.highest < static_cast<std::int32_t>(bucket)) {
            row.highest = static_cast<typename Size::Counter>(bucket);
        }
        event.what |= kTookUnit;
        event.place = static_cast<std::uint16_t>(bucket);
        event.value = before + 1;
        event.count = counts_whole_row
                          ? before + 1
                          : static_cast<std::int32_t>(bucket - 1) * view.place_capacity + position;
        return true;
    }

    // Gives a unit back to the rightmost bucket that counts one. With `marks` a counter at max_per
    // + 1 carries the mark of an unrepaired acquire, which goes with the unit.
    static bool give_back(Row& row, std::int32_t max_per, bool marks, Event& event) {
        std::size_t bucket = Size::kBuckets;
        while (bucket >= 1 && row.value(bucket) <= 0) {
            --bucket;
        }
        if (bucket == 0) {
            event.what |= kNothingToRelease;
            return false;
        }
        const bool marked = marks && row.value(bucket) == max_per + 1;
        row.store(bucket, row.value(bucket) - (marked ? 2 : 1));
        event.what |= kGaveUnitBack;
        event.place = static_cast<std::uint16_t>(bucket);
        event.value = total(row);
        return true;
    }
};

}  // namespace lockkeeper::canal
