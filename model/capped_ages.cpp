// SPDX-License-Identifier: Apache-2.0
#include "model/capped_ages.hpp"

#include <bit>

namespace lockkeeper {
namespace {

// The set of one-byte numbers that occur.
class Present {
  public:
    void add(std::uint8_t number) { words_[number / 64U] |= std::uint64_t{1} << number % 64U; }
    [[nodiscard]] unsigned size() const { return before(256); }
    // Counts the numbers in the set that are smaller.
    [[nodiscard]] unsigned before(unsigned number) const {
        unsigned count = 0;
        for (unsigned word = 0; word < number / 64U; ++word) {
            count += static_cast<unsigned>(std::popcount(words_[word]));
        }
        const unsigned rest = number % 64U;
        return rest == 0
                   ? count
                   : count +
                         static_cast<unsigned>(std::popcount(words_[number / 64U] << (64U - rest)));
    }

  private:
    std::array<std::uint64_t, 4> words_{};
};

}  // namespace

std::uint8_t CappedAges::rename(Kind& kind, std::uint8_t base) {
    Present present;
    for (std::size_t i = 0; i < kind.size; ++i) {
        present.add(*kind.numbers[i]);
    }
    if (kind.high_water != nullptr && *kind.high_water != 0) {
        if (present.before(*kind.high_water) == 0) {
            *kind.high_water = static_cast<std::uint8_t>(base + 1);
        } else {
            present.add(*kind.high_water);
            add(kind, *kind.high_water);
        }
    }
    for (std::size_t i = 0; i < kind.size; ++i) {
        std::uint8_t& number = *kind.numbers[i];
        number = static_cast<std::uint8_t>(base + present.before(number) + 1);
    }
    return static_cast<std::uint8_t>(base + present.size());
}

void CappedAges::rename() {
    for (std::size_t i = 0; i < counters_size_; ++i) {
        const Counter& counter = counters_[i];
        std::uint8_t largest = counter.least;
        for (std::size_t kind = 0; kind < counter.kinds; ++kind) {
            largest = std::max(largest, rename(kinds_[counter.first + kind], counter.base));
        }
        *counter.last = largest;
    }
}

}  // namespace lockkeeper
