// SPDX-License-Identifier: Apache-2.0

// Counts the actions of each kind for up to eight slots, a byte for each. It finds the n-th action
// of all, in the order of enabled(), without a branch and without looking at the slots one by one.
// Used by LearnedSimulator.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lockkeeper {

// The counts of all slots, for one kind of actions: eight bytes in a word, the first slot lowest.
class ActionLane {
  public:
    static constexpr std::size_t kSlotsMost = 8;
    // The most for one slot, so that the sum of all fits below the highest bit of a byte.
    static constexpr std::uint8_t kCountMost = 15;

    // An action of this lane: whose it is, and which among those of this slot and kind.
    struct Place {
        std::uint32_t slot = 0;
        std::uint32_t number = 0;
    };

    void clear() { counts_ = 0; }
    // A slot has so many more; negative: fewer.
    void add(std::size_t slot, std::int8_t more) {
        counts_ += static_cast<std::uint64_t>(std::int64_t{more}) << (8 * slot);
    }
    [[nodiscard]] std::uint32_t of(std::size_t slot) const {
        return static_cast<std::uint32_t>(counts_ >> (8 * slot) & 0xFFU);
    }
    [[nodiscard]] std::uint32_t total() const { return static_cast<std::uint32_t>(sums() >> 56U); }
    // `index` below total().
    [[nodiscard]] Place at(std::uint32_t index) const {
        const std::uint64_t sums = this->sums();
        // The lowest byte that keeps its highest bit is the first whose sum is larger than `index`.
        const std::uint64_t larger = ((sums | kHigh) - (index + 1U) * kEach) & kHigh;
        const auto shift = static_cast<unsigned>(std::countr_zero(larger)) & ~7U;
        const auto before = static_cast<std::uint32_t>((sums << 8U) >> shift & 0xFFU);
        return {shift / 8, index - before};
    }

  private:
    static constexpr std::uint64_t kEach = 0x0101010101010101U;
    static constexpr std::uint64_t kHigh = 0x8080808080808080U;

    // In each byte the counts of its slot and of all slots before.
    [[nodiscard]] std::uint64_t sums() const { return counts_ * kEach; }

    std::uint64_t counts_ = 0;
};

}  // namespace lockkeeper
