// SPDX-License-Identifier: Apache-2.0

// Lays out what is known of slots for lookups: a row for each value of what is shared and of the
// rest, in it an entry for each situation of a slot; slots of one group share their entries. Used
// by searches (step_rows.hpp) and runs (learned_steps.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "model/system.hpp"
#include "scheduler/states/key_map.hpp"

namespace lockkeeper {

// Slots with the same number share what is learned: callers of one group are interchangeable. In
// an erased system, which may be a user's own lock, only where symmetry is on.
template <System S>
[[nodiscard]] std::vector<std::uint8_t> group_of_slots(const S& system, bool symmetry) {
    std::vector<std::uint8_t> groups;
    if constexpr (kHintsOf<S>.local_steps) {
        for (std::size_t at = 0; at < system.slots_count(); ++at) {
            const bool is_alone = kHintsOf<S>.wide_steps && !symmetry;
            groups.push_back(is_alone ? static_cast<std::uint8_t>(at) : system.group(at));
        }
    }
    return groups;
}

template <class Entry>
class EntryRows {
  public:
    explicit EntryRows(std::vector<std::uint8_t> group_of_slot) : group_(std::move(group_of_slot)) {
        for (const unsigned group : group_) {
            group_bits_ = std::max(group_bits_, static_cast<unsigned>(std::bit_width(group)));
        }
    }

    [[nodiscard]] std::size_t bytes() const {
        return rows_.bytes() + entries_.capacity() * sizeof(Entry);
    }
    // Entries of a group in a row, entries of a row, and where in a row those of a slot begin.
    [[nodiscard]] std::size_t stride() const { return std::size_t{1} << situation_bits_; }
    [[nodiscard]] std::size_t row_size() const { return stride() << group_bits_; }
    [[nodiscard]] std::size_t first_of(std::size_t slot) const {
        return std::size_t{group_[slot]} << situation_bits_;
    }

    // The row of a key, by its number in the order in which rows were added; nullptr: not added.
    [[nodiscard]] const std::uint32_t* find(std::uint64_t key) const { return rows_.find(key + 1); }
    // The entries of a row; they move when a row is added or all are widened.
    [[nodiscard]] Entry* row(std::uint32_t row) {
        return entries_.data() + (std::size_t{row} << (group_bits_ + situation_bits_));
    }
    [[nodiscard]] Entry& at(std::uint32_t row, std::size_t slot, std::size_t situation) {
        return this->row(row)[first_of(slot) + situation];
    }

    // An empty row for a key that has none. False: there is no room beside the others.
    [[nodiscard]] bool add(std::uint64_t key) {
        if (rows_.size() > 0 && entries_.size() + row_size() > kEntriesMost) {
            return false;
        }
        rows_.add(key + 1, static_cast<std::uint32_t>(rows_.size()));
        entries_.resize(entries_.size() + row_size());
        return true;
    }
    // Room for this situation in every row. False: there is none.
    [[nodiscard]] bool widen(std::size_t situation) {
        const auto bits =
            std::max(situation_bits_, static_cast<unsigned>(std::bit_width(situation)));
        const std::size_t size = rows_.size() << (group_bits_ + bits);
        if (bits == situation_bits_ || size > kEntriesMost) {
            return bits == situation_bits_;
        }
        const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(size));
        const unsigned old_bits = std::exchange(situation_bits_, bits);
        for (std::size_t at = 0; at < old.size(); ++at) {
            const std::size_t group = at >> old_bits;
            entries_[(group << bits) + (at - (group << old_bits))] = old[at];
        }
        return true;
    }
    // Forgets all rows; situations keep their room.
    void clear() {
        rows_ = {};
        entries_.clear();
    }

  private:
    static constexpr std::size_t kEntriesMost = (std::size_t{1} << 24U) / sizeof(Entry);

    std::vector<std::uint8_t> group_;
    unsigned group_bits_ = 0;
    unsigned situation_bits_ = 6;
    KeyMap<std::uint32_t> rows_;
    std::vector<Entry> entries_;
};

}  // namespace lockkeeper
