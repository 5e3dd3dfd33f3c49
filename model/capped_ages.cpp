// SPDX-License-Identifier: Apache-2.0
#include "model/capped_ages.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

// The different ones of a few numbers, in ascending order. (A bit for each and std::popcount took
// an eighth of a search: without an instruction for it that is a function of a library.)
class Present {
  public:
    void add(std::uint8_t number) {
        std::size_t at = size_;
        for (; at > 0 && numbers_[at - 1] >= number; --at) {
            if (numbers_[at - 1] == number) {
                return;
            }
        }
        std::copy_backward(numbers_.data() + at, numbers_.data() + size_,
                           numbers_.data() + size_ + 1);
        numbers_[at] = number;
        ++size_;
    }
    [[nodiscard]] unsigned size() const { return size_; }
    // Counts the numbers that are smaller.
    [[nodiscard]] unsigned before(std::uint8_t number) const {
        unsigned count = 0;
        while (count < size_ && numbers_[count] < number) {
            ++count;
        }
        return count;
    }

  private:
    std::array<std::uint8_t, CappedAges::kMost + 1> numbers_{};  // and a high water
    unsigned size_ = 0;
};

}  // namespace

std::uint8_t CappedAges::rename(Kind& kind, std::uint8_t base) {
    const bool has_high_water = kind.high_water != nullptr && *kind.high_water != 0;
    if (kind.size == 0 && !has_high_water) {
        return base;
    }
    Present present;
    for (std::size_t i = 0; i < kind.size; ++i) {
        present.add(*kind.numbers[i]);
    }
    if (has_high_water) {
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
