// SPDX-License-Identifier: Apache-2.0

// Which keys were certainly never added: a blocked Bloom filter. A look costs one cache miss and
// saves, for nearly every state that is new, a look at the disk. What it does not rule out is
// looked up: the search stays exact.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "scheduler/states/prefetch.hpp"

namespace lockkeeper {

class KeyFilter {
  public:
    explicit KeyFilter(std::uint64_t bytes)
        : blocks_count_(std::max<std::uint64_t>(1, bytes / sizeof(Block))) {
        constexpr std::size_t kPage = std::size_t{2} << 20U;
        const std::size_t alignment = this->bytes() >= kPage ? kPage : sizeof(Block);
        const std::size_t rounded = (this->bytes() + alignment - 1) / alignment * alignment;
        blocks_.reset(static_cast<Block*>(std::aligned_alloc(alignment, rounded)));
        if (blocks_ == nullptr) {
            throw std::bad_alloc();
        }
        madvise(blocks_.get(), rounded, MADV_HUGEPAGE);
        std::fill_n(blocks_.get(), blocks_count_, Block{});
    }

    void add(std::uint64_t hash) {
        Block& block = blocks_.get()[block_of(hash)];
        for_each_bit(hash, [&](unsigned word, std::uint64_t bit) {
            block.words[word] |= bit;
            return true;
        });
    }
    // False: it was never added.
    [[nodiscard]] bool may_have(std::uint64_t hash) const {
        const Block& block = blocks_.get()[block_of(hash)];
        return for_each_bit(
            hash, [&](unsigned word, std::uint64_t bit) { return (block.words[word] & bit) != 0; });
    }
    void prefetch(std::uint64_t hash) const {
        lockkeeper::prefetch(&blocks_.get()[block_of(hash)]);
    }
    [[nodiscard]] std::size_t bytes() const { return blocks_count_ * sizeof(Block); }

  private:
    static constexpr int kBitsOfKey = 5;
    static constexpr unsigned kBitsOfPlace = 9;  // in a block of 512

    struct alignas(64) Block {
        std::uint64_t words[8] = {};
    };
    struct FreeMemory {
        void operator()(void* pointer) const { std::free(pointer); }
    };

    // Hashes of one shard begin alike.
    [[nodiscard]] std::size_t block_of(std::uint64_t hash) const {
        const std::uint64_t mixed = (hash ^ hash >> 32U) * 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>((mixed >> 32U) * blocks_count_ >> 32U);
    }
    // True: `look` gave true for all.
    template <class Look>
    static bool for_each_bit(std::uint64_t hash, Look look) {
        std::uint64_t mixed = (hash ^ hash >> 29U) * 0xD6E8FEB86659FD93U;
        mixed ^= mixed >> 32U;
        for (int i = 0; i < kBitsOfKey; ++i) {
            const auto place = static_cast<unsigned>(mixed & ((1U << kBitsOfPlace) - 1));
            if (!look(place / 64, std::uint64_t{1} << place % 64)) {
                return false;
            }
            mixed >>= kBitsOfPlace;
        }
        return true;
    }

    std::uint64_t blocks_count_;  // below 2^32
    std::unique_ptr<Block, FreeMemory> blocks_;
};

}  // namespace lockkeeper
