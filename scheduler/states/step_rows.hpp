// What one worker has looked up in the table of learned steps (step_table.hpp), laid out for packed
// records (packing.hpp): a row for each value of what is shared and of the rest, in it an entry for
// each situation of a slot, and each step as the bits that it flips. A transition is then two loads
// from a small array and two exclusive ors.
//
// A cache: when it grows too large it begins anew, and where that does not pay it says so.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

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

// As slot `at` takes `step` from a state of these numbers.
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

// Of a wide step: what slot `at` does.
[[nodiscard]] inline Action action_of(const PackedStep& wide, std::size_t at) {
    auto action = std::bit_cast<Action>(static_cast<std::uint32_t>(wide.rest));
    action.actor = static_cast<std::uint8_t>(at);
    return action;
}

template <System S>
[[nodiscard]] std::vector<std::uint8_t> group_of_slots(const S& system, bool symmetry) {
    std::vector<std::uint8_t> groups;
    if constexpr (kHintsOf<S>.local_steps) {
        for (std::size_t at = 0; at < system.slots_count(); ++at) {
            groups.push_back(static_cast<std::uint8_t>(pupil_of(system, at, symmetry)));
        }
    }
    return groups;
}

class StepRows {
  public:
    // An entry: where the steps are, and how many. Zero: not looked up yet.
    using Entry = std::uint32_t;
    static constexpr unsigned kCountBits = 6;
    static constexpr std::size_t kStepsMost = (1U << kCountBits) - 1;

    // Slots of one group have their entries together (System::group).
    explicit StepRows(std::vector<std::uint8_t> group_of_slot)
        : group_of_slot_(std::move(group_of_slot)) {
        for (std::size_t at = 0; at < group_of_slot_.size(); ++at) {
            groups_ = std::max<std::size_t>(groups_, group_of_slot_[at] + 1U);
            const bool goes_on = at > 0 && group_of_slot_[at] == group_of_slot_[at - 1];
            const auto first = goes_on ? side_by_side_.back().first : static_cast<std::uint8_t>(at);
            side_by_side_.emplace_back();
            for (std::size_t other = first; other <= at; ++other) {
                side_by_side_[other] = {first, static_cast<std::uint8_t>(at)};
            }
        }
        clear(kSmallestStride);
    }

    [[nodiscard]] static std::size_t count(Entry entry) { return entry & kStepsMost; }
    // False: rows are so long, or so many, that looking up without them is faster.
    [[nodiscard]] bool pays() const {
        return groups_ * stride_ <= kEntriesOfRowMost && times_full_ <= kTimesFullMost;
    }
    // The interchangeable slots side by side that slot `at` is one of.
    [[nodiscard]] const SlotGroup& group(std::size_t at) const { return side_by_side_[at]; }
    [[nodiscard]] const PackedStep* steps(Entry entry) const {
        return steps_.data() + (entry >> kCountBits);
    }
    // So many numbers of a slot have an entry; where in a row those of slot `at` begin.
    [[nodiscard]] std::size_t stride() const { return stride_; }
    [[nodiscard]] std::size_t first_of(std::size_t at) const {
        return group_of_slot_[at] * stride_;
    }

    // stride() entries for each group of slots. Stays where it is until the next row or entry.
    // `rest`: what is shared and the rest, as they stand in the word.
    [[nodiscard]] const Entry* row(std::uint64_t rest) {
        for (std::size_t at = home(rest);; at = (at + 1) & (index_.size() - 1)) {
            if (index_[at].key == rest + 1) {
                return entries_.data() + index_[at].first;
            }
            if (index_[at].key == 0) {
                return add_row(rest);
            }
        }
    }

    // Keeps what slot `at` can do when its number is `slot`. Rows may have moved.
    void add(std::uint64_t rest, std::size_t at, std::size_t slot,
             const std::vector<PackedStep>& steps) {
        if (slot >= stride_) {
            clear(std::max(stride_ * 2, std::bit_ceil(slot + 1)));
        } else if (steps_.size() > kStepsInAllMost) {
            clear(stride_);
            ++times_full_;
        }
        const auto first = static_cast<std::size_t>(row(rest) - entries_.data());
        entries_[first + first_of(at) + slot] =
            static_cast<Entry>(steps_.size() << kCountBits | steps.size());
        steps_.insert(steps_.end(), steps.begin(), steps.end());
    }

    [[nodiscard]] std::size_t bytes() const {
        return index_.capacity() * sizeof(Place) + entries_.capacity() * sizeof(Entry) +
               steps_.capacity() * sizeof(PackedStep);
    }

  private:
    struct Place {
        std::uint64_t key = 0;  // rest + 1
        std::size_t first = 0;  // of its entries
    };
    static constexpr std::size_t kSmallestStride = 64;
    static constexpr std::size_t kEntriesMost = std::size_t{1} << 22U;
    static constexpr std::size_t kStepsInAllMost = std::size_t{1} << 20U;
    static constexpr std::size_t kEntriesOfRowMost = 4096;
    static constexpr unsigned kTimesFullMost = 2;

    [[nodiscard]] std::size_t home(std::uint64_t rest) const {
        const std::uint64_t mixed = rest * 0x9E3779B97F4A7C15U;
        return (mixed ^ mixed >> 32U) & (index_.size() - 1);
    }

    const Entry* add_row(std::uint64_t rest) {
        if (entries_.size() + groups_ * stride_ > kEntriesMost) {
            clear(stride_);
            ++times_full_;
        }
        if (++rows_ * 2 > index_.size()) {
            std::vector<Place> old(index_.size() * 2);
            old.swap(index_);
            for (const Place& known : old) {
                if (known.key != 0) {
                    take_place(known);
                }
            }
        }
        const std::size_t first = entries_.size();
        take_place({rest + 1, first});
        entries_.resize(first + groups_ * stride_);
        return entries_.data() + first;
    }
    void take_place(const Place& place) {
        std::size_t at = home(place.key - 1);
        while (index_[at].key != 0) {
            at = (at + 1) & (index_.size() - 1);
        }
        index_[at] = place;
    }

    void clear(std::size_t stride) {
        constexpr std::size_t kSmallestIndex = 64;
        stride_ = stride;
        rows_ = 0;
        index_.assign(kSmallestIndex, {});
        entries_.clear();
        steps_.assign(1, {});  // no entry with steps is zero
    }

    std::vector<std::uint8_t> group_of_slot_;
    std::vector<SlotGroup> side_by_side_;
    std::size_t groups_ = 1;
    std::size_t stride_ = 0;
    std::size_t rows_ = 0;
    unsigned times_full_ = 0;
    std::vector<Place> index_;
    std::vector<Entry> entries_;
    std::vector<PackedStep> steps_;
};

}  // namespace lockkeeper
