// SPDX-License-Identifier: Apache-2.0

// The configurations that a search has seen, each once: rows of words of one length, numbered from
// 0, found again by a hash table. Used by linearize only.
//
// Rows lie in blocks, so that they never move; a block of long rows has few of them. Memory: row, 8
// bytes of origin, 8 to 32 bytes of table. Numbers are 32 bits; `full` says when they, or the
// bytes, are used up.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include <xxhash.h>

namespace lockkeeper {

class ConfigurationTable {
  public:
    using Word = std::uint64_t;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    ConfigurationTable(std::size_t row_words, std::uint64_t bytes_max)
        : row_words_(row_words),
          block_bits_(
              row_words >= kBlockWords
                  ? 0
                  : std::min(kBlockBitsMax,
                             static_cast<int>(std::bit_width(kBlockWords / row_words)) - 1)),
          bytes_max_(bytes_max),
          slots_(kSlotsFirst, kEmpty) {}

    // How the row was reached: from `parent`, by placing `operation`.
    struct Origin {
        std::uint32_t parent;
        std::uint32_t operation;
    };

    [[nodiscard]] std::size_t size() const { return origins_.size(); }
    // One row more would be too many.
    [[nodiscard]] bool full() const { return bytes_of_next() > bytes_max_ || size() >= kNone - 1; }
    [[nodiscard]] const Word* row(std::uint32_t number) const {
        return blocks_[number >> block_bits_].get() + in_block(number) * row_words_;
    }
    [[nodiscard]] Origin origin(std::uint32_t number) const { return origins_[number]; }

    // The number of a row that is new, kNone for one that is known.
    std::uint32_t insert(const Word* words, Origin origin) {
        const std::size_t bytes = row_words_ * sizeof(Word);
        const std::uint64_t hash = XXH3_64bits(words, bytes);
        const std::uint64_t tag = hash & kTagMask;
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != kEmpty) {
            const auto number = static_cast<std::uint32_t>(slots_[slot]);
            if ((slots_[slot] & kTagMask) == tag && std::memcmp(row(number), words, bytes) == 0) {
                return kNone;
            }
            slot = (slot + 1) & (slots_.size() - 1);
        }
        const auto number = static_cast<std::uint32_t>(origins_.size());
        if (in_block(number) == 0) {
            blocks_.emplace_back(new Word[row_words_ << block_bits_]);
        }
        std::memcpy(blocks_.back().get() + in_block(number) * row_words_, words, bytes);
        origins_.push_back(origin);
        slots_[slot] = tag | number;
        if (origins_.size() * 2 > slots_.size()) {
            grow();
        }
        return number;
    }

  private:
    static constexpr int kBlockBitsMax = 10;
    static constexpr std::size_t kBlockWords = std::size_t{1} << 17U;  // 1 MiB
    static constexpr std::size_t kSlotsFirst = 256;
    static constexpr std::uint64_t kEmpty = UINT64_MAX;
    static constexpr std::uint64_t kTagMask = ~std::uint64_t{UINT32_MAX};

    [[nodiscard]] std::size_t in_block(std::size_t number) const {
        return number & ((std::size_t{1} << block_bits_) - 1);
    }
    // With what the next insertion may allocate: a block, both tables while one grows.
    [[nodiscard]] std::uint64_t bytes_of_next() const {
        const std::size_t blocks = blocks_.size() + (in_block(size()) == 0 ? 1 : 0);
        const std::size_t origins = origins_.capacity() * (size() == origins_.capacity() ? 3 : 1);
        const std::size_t slots = slots_.size() * ((size() + 1) * 2 > slots_.size() ? 3 : 1);
        return (blocks * row_words_ * sizeof(Word) << block_bits_) + origins * sizeof(Origin) +
               slots * sizeof(std::uint64_t);
    }

    void grow() {
        std::vector<std::uint64_t> slots(slots_.size() * 2, kEmpty);
        for (std::uint32_t number = 0; number < origins_.size(); ++number) {
            const std::uint64_t hash = XXH3_64bits(row(number), row_words_ * sizeof(Word));
            std::size_t slot = hash & (slots.size() - 1);
            while (slots[slot] != kEmpty) {
                slot = (slot + 1) & (slots.size() - 1);
            }
            slots[slot] = (hash & kTagMask) | number;
        }
        slots_ = std::move(slots);
    }

    std::size_t row_words_;
    int block_bits_;  // 2 to the power of it: rows in a block
    std::uint64_t bytes_max_;
    std::vector<std::unique_ptr<Word[]>> blocks_;
    std::vector<Origin> origins_;
    std::vector<std::uint64_t> slots_;
};

}  // namespace lockkeeper
