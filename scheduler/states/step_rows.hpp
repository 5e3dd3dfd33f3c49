// SPDX-License-Identifier: Apache-2.0

// Keeps what one worker has looked up in the table of learned steps (step_table.hpp), laid out for
// packed records (packing.hpp): a row for each value of what is shared and of the rest, in it an
// entry for each situation of a slot, and each step as the bits that it flips. A transition is then
// two loads from a small array and two exclusive ors.
//
// A cache: when it grows too large it begins anew, and where that does not pay it says so.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "scheduler/states/entry_rows.hpp"
#include "scheduler/states/packing.hpp"
#include "scheduler/states/step_table.hpp"

namespace lockkeeper {

// The bits of a packed word that a step flips.
struct PackedStep {
    std::uint64_t rest = 0;  // in place; of a wide step its action
    std::uint32_t what = 0;  // EventBits
    std::uint16_t slot = 0;  // of the slot that acts, from its lowest bit on
    std::uint8_t is_fault = 0;
    std::uint8_t footprint = 0;  // its kind, or LearnedStep::kWide
};

// Packs `step`, which slot `at` takes from a state of these numbers.
[[nodiscard]] inline PackedStep packed_step(const LearnedStep& step, const std::uint16_t* numbers,
                                            std::size_t at, const Packing& packing) {
    const std::uint16_t* shared = numbers + packing.slots_count();
    const auto flipped = [](unsigned after, unsigned before, unsigned shift) {
        return std::uint64_t{after ^ before} << shift;
    };
    PackedStep packed;
    packed.is_fault = step.is_fault ? 1 : 0;
    packed.footprint = step.footprint;
    if (step.footprint == LearnedStep::kWide) {
        packed.rest = std::bit_cast<std::uint32_t>(step.action);
        return packed;
    }
    packed.rest = flipped(step.shared, shared[0], packing.shift_of_shared());
    if (step.tail != LearnedStep::kAsBefore) {
        packed.rest |= flipped(step.tail, shared[1], packing.shift_of_tail());
    }
    packed.what = step.what;
    packed.slot = step.slot ^ numbers[at];
    return packed;
}

// Returns the action of a wide step of slot `at`.
[[nodiscard]] inline Action action_of(const PackedStep& wide, std::size_t at) {
    auto action = std::bit_cast<Action>(static_cast<std::uint32_t>(wide.rest));
    action.actor = static_cast<std::uint8_t>(at);
    return action;
}

class StepRows {
  public:
    // An entry: where the steps are, and how many. Zero: not looked up yet.
    using Entry = std::uint32_t;
    static constexpr unsigned kCountBits = 6;
    static constexpr std::size_t kStepsMost = (1U << kCountBits) - 1;

    // Slots of one group have their entries together (System::group).
    explicit StepRows(const std::vector<std::uint8_t>& group_of_slot) : rows_(group_of_slot) {
        for (std::size_t at = 0; at < group_of_slot.size(); ++at) {
            const bool goes_on = at > 0 && group_of_slot[at] == group_of_slot[at - 1];
            const auto first = goes_on ? side_by_side_.back().first : static_cast<std::uint8_t>(at);
            side_by_side_.emplace_back();
            for (std::size_t other = first; other <= at; ++other) {
                side_by_side_[other] = {first, static_cast<std::uint8_t>(at)};
            }
        }
    }

    [[nodiscard]] static std::size_t count(Entry entry) { return entry & kStepsMost; }
    // False: rows are so long, or so many, that looking up without them is faster.
    [[nodiscard]] bool pays() const {
        return rows_.row_size() <= kEntriesOfRowMost && times_full_ <= kTimesFullMost;
    }
    // The interchangeable slots side by side that slot `at` is one of.
    [[nodiscard]] const SlotGroup& group(std::size_t at) const { return side_by_side_[at]; }
    [[nodiscard]] const PackedStep* steps(Entry entry) const {
        return steps_.data() + (entry >> kCountBits);
    }
    // Numbers of a slot that have an entry, and where in a row those of slot `at` begin.
    [[nodiscard]] std::size_t stride() const { return rows_.stride(); }
    [[nodiscard]] std::size_t first_of(std::size_t at) const { return rows_.first_of(at); }

    // stride() entries for each group of slots. Stays where it is until the next row or entry.
    // `rest`: what is shared and the rest, as they stand in the word.
    [[nodiscard]] const Entry* row(std::uint64_t rest) { return rows_.row(number_of(rest)); }

    // Keeps what slot `at` can do when its number is `slot`. Rows may have moved.
    void add(std::uint64_t rest, std::size_t at, std::size_t slot,
             const std::vector<PackedStep>& steps) {
        if (steps_.size() > kStepsInAllMost) {
            ++times_full_;
            clear();
        }
        if (!rows_.widen(slot)) {
            clear();
            LOCKKEEPER_CHECK(rows_.widen(slot));
        }
        const std::uint32_t row = number_of(rest);  // may clear steps_
        rows_.at(row, at, slot) = static_cast<Entry>(steps_.size() << kCountBits | steps.size());
        steps_.insert(steps_.end(), steps.begin(), steps.end());
    }

    [[nodiscard]] std::size_t bytes() const {
        return rows_.bytes() + steps_.capacity() * sizeof(PackedStep);
    }

  private:
    static constexpr std::size_t kStepsInAllMost = std::size_t{1} << 20U;
    static constexpr std::size_t kEntriesOfRowMost = 4096;
    static constexpr unsigned kTimesFullMost = 2;

    [[nodiscard]] std::uint32_t number_of(std::uint64_t rest) {
        const std::uint32_t* known = rows_.find(rest);
        return known != nullptr ? *known : add_row(rest);
    }
    std::uint32_t add_row(std::uint64_t rest) {
        if (!rows_.add(rest)) {
            ++times_full_;
            clear();
            LOCKKEEPER_CHECK(rows_.add(rest));
        }
        return *rows_.find(rest);
    }
    void clear() {
        rows_.clear();
        steps_.resize(1);
    }

    EntryRows<Entry> rows_;
    std::vector<SlotGroup> side_by_side_;
    unsigned times_full_ = 0;
    std::vector<PackedStep> steps_{1};  // no entry with steps is zero
};

}  // namespace lockkeeper
