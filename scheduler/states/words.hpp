// SPDX-License-Identifier: Apache-2.0

// Copying, comparing and hashing of a few 64-bit words, whose number is known only at run time but
// is small: a call of memcpy or memcmp would cost more than the work.
#pragma once

#include <cstdint>
#include <cstring>

#include <xxhash.h>

namespace lockkeeper {

[[gnu::always_inline]] inline void copy_words(void* to, const void* from, std::size_t words) {
    switch (words) {
        case 1: std::memcpy(to, from, 8); return;
        case 2: std::memcpy(to, from, 16); return;
        case 3: std::memcpy(to, from, 24); return;
        case 4: std::memcpy(to, from, 32); return;
        case 5: std::memcpy(to, from, 40); return;
        default: std::memcpy(to, from, words * sizeof(std::uint64_t)); return;
    }
}

[[nodiscard]] inline bool same_words(const std::uint64_t* left, const std::uint64_t* right,
                                     std::size_t words) {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < words; ++i) {
        difference |= left[i] ^ right[i];
    }
    return difference == 0;
}

// Equality and hash of `Bytes` bytes, a compile-time constant.
template <std::size_t Bytes>
struct ShortBytes {
    static constexpr std::size_t kWhole = Bytes / sizeof(std::uint64_t);

    [[nodiscard]] static std::uint64_t load(const std::byte* bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, sizeof(word));
        return word;
    }
    // The last, overlapping word; short ones are padded.
    [[nodiscard]] static std::uint64_t last(const std::byte* bytes) {
        if constexpr (Bytes >= sizeof(std::uint64_t)) {
            return load(bytes + Bytes - sizeof(std::uint64_t));
        } else {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes, Bytes);
            return word;
        }
    }
    [[nodiscard]] static bool same(const std::byte* left, const std::byte* right) {
        std::uint64_t difference = last(left) ^ last(right);
        for (std::size_t i = 0; i < kWhole; ++i) {
            difference |= load(left + i * 8) ^ load(right + i * 8);
        }
        return difference == 0;
    }
    [[nodiscard]] static std::uint64_t hash(const std::byte* bytes) {
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;
        std::uint64_t mixed = (last(bytes) + Bytes) * kOdd;
        for (std::size_t i = 0; i < kWhole; ++i) {
            mixed = ((mixed ^ mixed >> 32U) + load(bytes + i * 8)) * kOdd;
        }
        return mixed ^ mixed >> 29U;
    }
    [[nodiscard]] static constexpr std::size_t size() { return Bytes; }
};

// The same for a number of bytes that is known at run time only.
class LongBytes {
  public:
    explicit LongBytes(std::size_t bytes) : bytes_(bytes) {}

    // All words, the last one overlapping: parts have a hundred bytes, and calls of memcmp took an
    // eighth of a search.
    [[nodiscard]] bool same(const std::byte* left, const std::byte* right) const {
        if (bytes_ < sizeof(std::uint64_t)) {
            return std::memcmp(left, right, bytes_) == 0;
        }
        const std::size_t last = bytes_ - sizeof(std::uint64_t);
        std::uint64_t difference = load(left + last) ^ load(right + last);
        for (std::size_t at = 0; at < last; at += sizeof(std::uint64_t)) {
            difference |= load(left + at) ^ load(right + at);
        }
        return difference == 0;
    }
    [[nodiscard]] std::uint64_t hash(const std::byte* bytes) const {
        return XXH3_64bits(bytes, bytes_);
    }
    [[nodiscard]] std::size_t size() const { return bytes_; }

  private:
    [[nodiscard]] static std::uint64_t load(const std::byte* bytes) {
        return ShortBytes<sizeof(std::uint64_t)>::load(bytes);
    }

    std::size_t bytes_;
};

}  // namespace lockkeeper
