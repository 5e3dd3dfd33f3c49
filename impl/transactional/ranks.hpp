// SPDX-License-Identifier: Apache-2.0

// Ranks those that wait for the same as 1, 2 ... in the order in which they came. When one leaves,
// those behind move up; a newcomer's rank, larger than any, becomes the last. 0: nobody.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lockkeeper::transactional {

class Ranks {
  public:
    void add(std::uint8_t rank) { present_ |= rank == 0 ? 0U : bit(rank); }
    // Nothing to do, as after most steps: they are 1, 2 ... already.
    [[nodiscard]] bool in_order() const { return (present_ & (present_ + 1U)) == 0; }
    [[nodiscard]] std::uint8_t renumbered(std::uint8_t rank) const {
        return rank == 0
                   ? std::uint8_t{0}
                   : static_cast<std::uint8_t>(std::popcount(present_ & (bit(rank) - 1U)) + 1);
    }

  private:
    static constexpr unsigned kMost = 32;
    static std::uint32_t bit(std::uint8_t rank) {
        return 1U << (std::min<unsigned>(rank, kMost) - 1U);
    }

    std::uint32_t present_ = 0;  // bit n: rank n + 1
};

}  // namespace lockkeeper::transactional
