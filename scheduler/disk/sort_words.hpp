// SPDX-License-Identifier: Apache-2.0

// Sorting words whose upper bits are as good as random: put into buckets by these, then each
// bucket, which has few, by comparing. Any words are sorted; others take longer.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace lockkeeper {

// `same_bits`: the uppermost ones, which all have in common.
inline void sort_scattered(std::vector<std::uint64_t>& words, unsigned same_bits) {
    constexpr std::size_t kFewWords = 1024;
    constexpr std::size_t kWordsOfBucket = 8;
    constexpr unsigned kBitsMost = 16;  // more buckets would not stay in the cache
    if (words.size() < kFewWords) {
        std::sort(words.begin(), words.end());
        return;
    }
    const unsigned bits = std::min<unsigned>(
        kBitsMost, static_cast<unsigned>(std::bit_width(words.size() / kWordsOfBucket)));
    const auto bucket_of = [&](std::uint64_t word) {
        return static_cast<std::size_t>(word << same_bits >> (64 - bits));
    };
    std::vector<std::size_t> end((std::size_t{1} << bits) + 1, 0);
    for (const std::uint64_t word : words) {
        ++end[bucket_of(word) + 1];
    }
    for (std::size_t i = 1; i < end.size(); ++i) {
        end[i] += end[i - 1];
    }
    std::vector<std::uint64_t> sorted(words.size());
    std::vector<std::size_t> next(end.begin(), end.end() - 1);
    for (const std::uint64_t word : words) {
        sorted[next[bucket_of(word)]++] = word;
    }
    for (std::size_t bucket = 0; bucket + 1 < end.size(); ++bucket) {
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(end[bucket]),
                  sorted.begin() + static_cast<std::ptrdiff_t>(end[bucket + 1]));
    }
    words.swap(sorted);
}

}  // namespace lockkeeper
