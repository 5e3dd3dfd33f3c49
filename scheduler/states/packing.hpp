// SPDX-License-Identifier: Apache-2.0

// Numbers of parts in the bits of one word. A caller has a few dozen different situations, and what
// is shared a few hundred: with 6 bits for each of seven callers and 8 for the rest, a whole state
// is one word, compared and moved as such.
//
// The word is stored scattered, by a one-to-one function: so a stored word is its own fingerprint,
// and two states have one fingerprint only if they are the same.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockkeeper {

// The most values of one kind that numbers of two bytes tell apart: the largest numbers are kept
// free for marks.
inline constexpr std::size_t kPartsMost = 0xFFF0;

// How many different values each kind of part has.
struct PartCounts {
    std::size_t slots = 0;
    std::size_t shared = 0;
    std::size_t tails = 0;
};

// Interchangeable slots, side by side.
struct SlotGroup {
    std::uint8_t first = 0;
    std::uint8_t last = 0;
};

// One-to-one between words of `kPackedBits` bits; the result stands in the upper ones.
inline constexpr unsigned kPackedBits = 58;

namespace packing_detail {
inline constexpr std::uint64_t kMask = (std::uint64_t{1} << kPackedBits) - 1;
inline constexpr std::uint64_t kFactor = 0xBF58476D1CE4E5B9U;
inline constexpr std::uint64_t kOtherFactor = 0x94D049BB133111EBU;
// Half of the bits or more: then the same shift takes it back.
inline constexpr unsigned kShift = 29;
static_assert(kShift * 2 >= kPackedBits);

// Newton's iteration: each turn doubles the number of right bits.
[[nodiscard]] constexpr std::uint64_t inverse(std::uint64_t odd) {
    std::uint64_t result = odd;
    for (int i = 0; i < 6; ++i) {
        result *= 2 - odd * result;
    }
    return result;
}
}  // namespace packing_detail

[[nodiscard]] constexpr std::uint64_t scattered(std::uint64_t word) {
    using namespace packing_detail;
    word ^= word >> kShift;
    word = word * kFactor & kMask;
    word ^= word >> kShift;
    word = word * kOtherFactor & kMask;
    word ^= word >> kShift;
    return word << (64U - kPackedBits);
}
[[nodiscard]] constexpr std::uint64_t gathered(std::uint64_t word) {
    using namespace packing_detail;
    word >>= 64U - kPackedBits;
    word ^= word >> kShift;
    word = word * inverse(kOtherFactor) & kMask;
    word ^= word >> kShift;
    word = word * inverse(kFactor) & kMask;
    word ^= word >> kShift;
    return word;
}

// A stored word has bits to spare: what they say is no part of the state.
inline constexpr unsigned kNoteBits = 64 - kPackedBits;
[[nodiscard]] constexpr std::uint64_t without_note(std::uint64_t stored) {
    return stored >> kNoteBits << kNoteBits;
}
[[nodiscard]] constexpr unsigned note_of(std::uint64_t stored) {
    return static_cast<unsigned>(stored & ((std::uint64_t{1} << kNoteBits) - 1));
}

// Where the numbers lie: those of the slots from the lowest bit on, shared, tail.
class Packing {
  public:
    // Room for the values that there are of each kind, and for more where bits are left; nothing
    // when these do not fit.
    [[nodiscard]] static std::optional<Packing> fitting(std::size_t slots_count,
                                                        const PartCounts& counts) {
        if (slots_count > kPackedBits ||
            std::max({counts.slots, counts.shared, counts.tails}) > kPartsMost) {
            return std::nullopt;
        }
        const auto count = static_cast<unsigned>(slots_count);
        unsigned slot = bits_for(counts.slots);
        unsigned shared = bits_for(counts.shared);
        unsigned tail = bits_for(counts.tails);
        if (count * slot + shared + tail > kPackedBits) {
            return std::nullopt;
        }
        // The bits that are left are shared out: a search that runs out of numbers begins again.
        unsigned left = kPackedBits - (count * slot + shared + tail);
        const auto widen = [&](unsigned& bits, unsigned cost) {
            const bool can = bits < kNumberBits && left >= cost;
            bits += can ? 1 : 0;
            left -= can ? cost : 0;
            return can;
        };
        bool goes_on = true;
        for (unsigned turn = 0; goes_on; ++turn) {
            // The shared part has the most values where searches are large.
            goes_on = widen(shared, 1);
            goes_on = widen(shared, 1) || goes_on;
            goes_on = widen(slot, std::max(count, 1U)) || goes_on;
            // In most systems the rest hardly changes.
            goes_on = (turn % 2 != 0 && widen(tail, 1)) || goes_on;
        }
        return Packing(slots_count, slot, shared, tail);
    }

    // From a file: nothing when no Packing looks like this.
    using Bits = std::array<std::uint8_t, 3>;
    [[nodiscard]] Bits bits() const {
        return {static_cast<std::uint8_t>(slot_bits_), static_cast<std::uint8_t>(shared_bits_),
                static_cast<std::uint8_t>(tail_bits_)};
    }
    [[nodiscard]] static std::optional<Packing> of(std::size_t slots_count, const Bits& bits) {
        const auto [slot, shared, tail] = bits;
        const bool fits = slot <= kNumberBits && shared <= kNumberBits && tail <= kNumberBits &&
                          slots_count * slot + shared + tail <= kPackedBits;
        return fits ? std::optional(Packing(slots_count, slot, shared, tail)) : std::nullopt;
    }

    // How many values of each kind have a number.
    [[nodiscard]] PartCounts most() const {
        const auto most = [](unsigned bits) {
            return std::min(std::size_t{1} << bits, kPartsMost);
        };
        return {most(slot_bits_), most(shared_bits_), most(tail_bits_)};
    }

    [[nodiscard]] std::size_t slots_count() const { return slots_count_; }
    [[nodiscard]] unsigned slot_bits() const { return slot_bits_; }
    [[nodiscard]] unsigned shift_of_slot(std::size_t at) const {
        return static_cast<unsigned>(at) * slot_bits_;
    }
    [[nodiscard]] unsigned shift_of_shared() const { return shift_of_slot(slots_count_); }
    [[nodiscard]] unsigned shift_of_tail() const { return shift_of_shared() + shared_bits_; }
    [[nodiscard]] std::uint64_t slot(std::uint64_t word, std::size_t at) const {
        return word >> shift_of_slot(at) & mask(slot_bits_);
    }
    [[nodiscard]] std::uint64_t shared(std::uint64_t word) const {
        return word >> shift_of_shared() & mask(shared_bits_);
    }

    // numbers: slots, shared, tail.
    template <class Number>
    void unpack(std::uint64_t word, Number* numbers) const {
        for (std::size_t i = 0; i < slots_count_; ++i) {
            numbers[i] = static_cast<Number>(word & mask(slot_bits_));
            word >>= slot_bits_;
        }
        numbers[slots_count_] = static_cast<Number>(word & mask(shared_bits_));
        numbers[slots_count_ + 1] = static_cast<Number>(word >> shared_bits_);
    }
    template <class Number>
    [[nodiscard]] std::uint64_t pack(const Number* numbers) const {
        std::uint64_t word = numbers[slots_count_ + 1];
        word = word << shared_bits_ | numbers[slots_count_];
        for (std::size_t i = slots_count_; i > 0; --i) {
            word = word << slot_bits_ | numbers[i - 1];
        }
        return word;
    }

    // The numbers of a group stand in ascending order, but for slot `at` of it: puts it in order.
    [[nodiscard]] std::uint64_t in_order(std::uint64_t word, std::size_t at,
                                         const SlotGroup& group) const {
        const std::uint64_t number = slot(word, at);
        std::size_t to = at;
        while (to > group.first && number < slot(word, to - 1)) {
            --to;
        }
        while (to >= at && to < group.last && number > slot(word, to + 1)) {
            ++to;
        }
        if (to == at) {
            return word;
        }
        // The slots in between move by one.
        const unsigned low = shift_of_slot(std::min(at, to));
        const unsigned bits = shift_of_slot(std::max(at, to) + 1) - low;
        const std::uint64_t between = word >> low & mask(bits);
        const std::uint64_t moved = to < at ? (between << slot_bits_ & mask(bits)) | number
                                            : between >> slot_bits_ | number << (bits - slot_bits_);
        return (word & ~(mask(bits) << low)) | moved << low;
    }

  private:
    static constexpr unsigned kNumberBits = 16;

    Packing(std::size_t slots_count, unsigned slot_bits, unsigned shared_bits, unsigned tail_bits)
        : slots_count_(slots_count),
          slot_bits_(slot_bits),
          shared_bits_(shared_bits),
          tail_bits_(tail_bits) {}

    [[nodiscard]] static unsigned bits_for(std::size_t count) {
        return static_cast<unsigned>(std::bit_width(count == 0 ? 0 : count - 1));
    }
    [[nodiscard]] static std::uint64_t mask(unsigned bits) {
        return (std::uint64_t{1} << bits) - 1;
    }

    std::size_t slots_count_;
    unsigned slot_bits_;
    unsigned shared_bits_;
    unsigned tail_bits_;
};

}  // namespace lockkeeper
