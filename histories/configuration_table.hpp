// The configurations that a search has seen, each once: rows of words of one length, numbered from
// 0, found again by a hash table. Used by linearize only.
//
// Rows lie in blocks, so that they never move. Memory: row, 8 bytes of origin, 8 to 32 bytes of
// table. Numbers are 32 bits; `full` says when they, or the bytes, are used up.
#pragma once

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
        : row_words_(row_words), bytes_max_(bytes_max), slots_(kSlotsFirst, kEmpty) {}

    // How the row was reached: from `parent`, by placing `operation`.
    struct Origin {
        std::uint32_t parent;
        std::uint32_t operation;
    };

    [[nodiscard]] std::size_t size() const { return origins_.size(); }
    [[nodiscard]] bool full() const { return bytes() > bytes_max_ || size() >= kNone - 1; }
    [[nodiscard]] const Word* row(std::uint32_t number) const {
        return blocks_[number / kBlockRows].get() + (number % kBlockRows) * row_words_;
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
        if (number % kBlockRows == 0) {
            blocks_.emplace_back(new Word[kBlockRows * row_words_]);
        }
        std::memcpy(blocks_.back().get() + (number % kBlockRows) * row_words_, words, bytes);
        origins_.push_back(origin);
        slots_[slot] = tag | number;
        if (origins_.size() * 2 > slots_.size()) {
            grow();
        }
        return number;
    }

  private:
    static constexpr std::size_t kBlockRows = 1024;
    static constexpr std::size_t kSlotsFirst = 256;
    static constexpr std::uint64_t kEmpty = UINT64_MAX;
    static constexpr std::uint64_t kTagMask = ~std::uint64_t{UINT32_MAX};

    [[nodiscard]] std::uint64_t bytes() const {
        return blocks_.size() * kBlockRows * row_words_ * sizeof(Word) +
               origins_.capacity() * sizeof(Origin) + slots_.size() * sizeof(std::uint64_t);
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
    std::uint64_t bytes_max_;
    std::vector<std::unique_ptr<Word[]>> blocks_;
    std::vector<Origin> origins_;
    std::vector<std::uint64_t> slots_;
};

}  // namespace lockkeeper
