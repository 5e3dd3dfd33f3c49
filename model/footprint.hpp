// SPDX-License-Identifier: Apache-2.0

// Lists what a slot's action touches beside its own slot. Two actions of different slots whose
// footprints are independent commute: each stays possible after the other, and both orders lead to
// the same state. The explorer then makes that state once (docs/understanding/reductions.md, sleep
// sets).
//
// Objects are bits: six for what is shared, as the implementation likes (two objects may have one
// bit), one for the rest of the state (counts of faults, signals), and one for what decides which
// actions of others are possible. The last one every action reads.
#pragma once

#include <cstdint>

namespace lockkeeper {

struct Footprint {
    static constexpr std::uint8_t kShared = 0x3F;
    static constexpr std::uint8_t kRest = 1U << 6;
    static constexpr std::uint8_t kPossible = 1U << 7;

    std::uint8_t reads = 0;
    std::uint8_t writes = 0;

    friend bool operator==(const Footprint&, const Footprint&) = default;
};

inline constexpr Footprint kTouchesEverything{0xFF, 0xFF};

[[nodiscard]] constexpr bool are_independent(Footprint left, Footprint right) {
    const auto touched = [](Footprint of) {
        return static_cast<unsigned>(of.reads | of.writes | Footprint::kPossible);
    };
    return (left.writes & touched(right)) == 0 && (right.writes & touched(left)) == 0;
}

}  // namespace lockkeeper
