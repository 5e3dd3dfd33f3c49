// SPDX-License-Identifier: Apache-2.0

// The only randomness of the harness, written out so that a seed gives the same run with every
// compiler and library: xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace lockkeeper {

class Random {
  public:
    explicit Random(std::uint64_t seed = 0) {
        for (std::uint64_t& word : state_) {
            seed += 0x9E3779B97F4A7C15ULL;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
            mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
            word = mixed ^ (mixed >> 31U);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17U;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // 0 .. bound-1. The bias of the multiplication is below 2^-32 for the small bounds used here.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
    }

    // In [0, 1), 53 bits.
    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

  private:
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace lockkeeper
