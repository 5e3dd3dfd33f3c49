// SPDX-License-Identifier: Apache-2.0

// The shape of a stored record (state_codec.hpp decides), for code that keeps, moves and compares
// records without knowing what they stand for.
#pragma once

#define XXH_INLINE_ALL
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <xxhash.h>

namespace lockkeeper {

struct RecordShape {
    std::size_t words = 1;
    bool is_packed = false;  // one word that is its own fingerprint (packing.hpp)
    // The first ones, where the number of the tail behind them is compared apart; 0: all.
    std::size_t hashed_bytes = 0;
    bool tail_is_wide = false;  // that number has four bytes, not two

    [[nodiscard]] std::uint64_t fingerprint(const std::uint64_t* record) const {
        return is_packed ? *record : XXH3_64bits(record, compared_bytes());
    }
    [[nodiscard]] std::size_t compared_bytes() const {
        return hashed_bytes > 0 ? hashed_bytes : words * sizeof(std::uint64_t);
    }
    // Where hashed_bytes says where the tail is: it lies in one word.
    [[nodiscard]] bool same_before_tail(const std::uint64_t* left,
                                        const std::uint64_t* right) const {
        const std::size_t word = hashed_bytes / sizeof(std::uint64_t);
        const std::size_t bits = hashed_bytes % sizeof(std::uint64_t) * 8;
        std::uint64_t difference = (left[word] ^ right[word]) & ((std::uint64_t{1} << bits) - 1);
        for (std::size_t i = 0; i < word; ++i) {
            difference |= left[i] ^ right[i];
        }
        return difference == 0;
    }
    [[nodiscard]] std::uint32_t tail(const std::uint64_t* record) const {
        const auto* const at = reinterpret_cast<const unsigned char*>(record) + hashed_bytes;
        if (tail_is_wide) {
            std::uint32_t number = 0;
            std::memcpy(&number, at, sizeof(number));
            return number;
        }
        std::uint16_t number = 0;
        std::memcpy(&number, at, sizeof(number));
        return number;
    }
    friend bool operator==(const RecordShape&, const RecordShape&) = default;
};

}  // namespace lockkeeper
