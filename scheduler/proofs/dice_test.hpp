// SPDX-License-Identifier: Apache-2.0

// Random numbers that are the same with every library, for the makers of random locks:
// std::uniform_int_distribution gives other numbers with other libraries.
#pragma once

#include <cstdint>
#include <random>

namespace lockkeeper::testing_proofs {

class Dice {
  public:
    explicit Dice(std::uint32_t seed) : random_(seed) {}
    std::uint8_t below(unsigned most) { return static_cast<std::uint8_t>(random_() % most); }
    bool one_in(unsigned times) { return random_() % times == 0; }

  private:
    std::mt19937 random_;
};

}  // namespace lockkeeper::testing_proofs
