// SPDX-License-Identifier: Apache-2.0

// A number for each different value of one part of a state (what a caller is up to, what is
// shared). A state has few different parts and many combinations of them: stored states are
// combinations of numbers (state_codec.hpp).
//
// Numbers are given in the order in which values are added. Reading is safe from several threads
// while nobody adds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/base/checkpoint.hpp"
#include "scheduler/states/large_pages.hpp"
#include "scheduler/states/prefetch.hpp"
#include "scheduler/states/words.hpp"

namespace lockkeeper {

// Part: ShortBytes or LongBytes (words.hpp), how long a value is and how it is compared.
template <class Part>
class PartTable {
  public:
    static constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;

    explicit PartTable(Part part) : part_(part), slots_(kSmallest, 0) {
        values_.reserve(1);  // value() of a part without bytes is an address, too
    }

    [[nodiscard]] const Part& part() const { return part_; }

    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::size_t bytes() const {
        return values_.capacity() + slots_.capacity() * sizeof(std::uint64_t);
    }
    [[nodiscard]] const std::byte* value(std::uint32_t number) const {
        return values_.data() + number * part_.size();
    }

    // For a find() that comes soon: first its slot, later, when that is there, the value.
    void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash & mask()]); }
    void prefetch_found(std::uint64_t hash) const {
        const std::uint64_t slot = slots_[hash & mask()];
        if (slot != 0 && slot >> 32U == hash >> 32U) {
            prefetch_value(static_cast<std::uint32_t>(slot) - 1);
        }
    }
    void prefetch_value(std::uint32_t number) const { prefetch_all(value(number), part_.size()); }

    [[nodiscard]] std::uint32_t find(const std::byte* value) const {
        return find(value, part_.hash(value));
    }
    [[nodiscard]] std::uint32_t find(const std::byte* value, std::uint64_t hash) const {
        for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
            const std::uint64_t slot = slots_[at];
            if (slot == 0) {
                return kUnknown;
            }
            const auto number = static_cast<std::uint32_t>(slot) - 1;
            if (slot >> 32U == hash >> 32U && part_.same(this->value(number), value)) {
                return number;
            }
        }
    }

    std::uint32_t find_or_add(const std::byte* value) {
        return find_or_add(value, part_.hash(value));
    }
    std::uint32_t find_or_add(const std::byte* value, std::uint64_t hash) {
        const std::uint32_t known = find(value, hash);
        if (known != kUnknown) {
            return known;
        }
        const auto number = static_cast<std::uint32_t>(count_);
        values_.insert(values_.end(), value, value + part_.size());
        ++count_;
        if (count_ * 2 > slots_.size()) {
            slots_.assign(slots_.size() * 2, 0);
            for (std::uint32_t i = 0; i < count_; ++i) {
                take_slot(i);
            }
        } else {
            take_slot(number);
        }
        return number;
    }

    void save(CheckpointWriter& file) const {
        file.begin_section(values_.size());
        file.append(values_.data(), values_.size());
    }
    void load(CheckpointReader& file, std::size_t most) {
        std::vector<std::byte> values;
        file.array(values, most * part_.size());
        const std::size_t step = std::max<std::size_t>(part_.size(), 1);
        if (values.size() % step != 0) {
            file.fail("is damaged");
        }
        for (std::size_t at = 0; at < values.size(); at += step) {
            find_or_add(values.data() + at);
        }
    }

  private:
    static constexpr std::size_t kSmallest = 256;

    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }

    void take_slot(std::uint32_t number) {
        const std::uint64_t hash = part_.hash(value(number));
        std::size_t at = hash & mask();
        while (slots_[at] != 0) {
            at = (at + 1) & mask();
        }
        slots_[at] = hash >> 32U << 32U | (number + 1U);
    }

    [[no_unique_address]] Part part_;
    std::vector<std::byte, LargePages<std::byte>> values_;
    std::vector<std::uint64_t, LargePages<std::uint64_t>> slots_;
    std::size_t count_ = 0;
};

}  // namespace lockkeeper
