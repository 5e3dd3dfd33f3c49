// SPDX-License-Identifier: Apache-2.0

// Memory for the store in large pages (large_pages.hpp): everything that is not tiny lies side by
// side in blocks. Blocks live as long as the arena.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "scheduler/states/large_pages.hpp"

namespace lockkeeper {

class PageArena {
  public:
    PageArena() = default;
    PageArena(const PageArena&) = delete;
    PageArena& operator=(const PageArena&) = delete;

    // Aligned to 64 bytes, content undefined; throws std::bad_alloc. May be called by several
    // threads.
    [[nodiscard]] void* take(std::size_t bytes) {
        const std::size_t rounded = (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
        const std::lock_guard lock(mutex_);
        if (void* memory = is_kept(rounded) ? take_kept(size_class(rounded)) : nullptr) {
            return memory;
        }
        if (rounded < kSmall || rounded >= kLargePage) {
            return own_block(rounded);
        }
        if (left_ < rounded) {
            next_ = static_cast<std::byte*>(own_block(kBlock));
            left_ = kBlock;
        }
        void* memory = next_;
        next_ += rounded;
        left_ -= rounded;
        return memory;
    }

    // For others to take: powers of two are kept for requests of the same size, because the system
    // clears each fresh page, which takes a fifth of a search. Large blocks of another size go
    // back.
    void give_back(void* memory, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (is_kept(bytes)) {
            free_[size_class(bytes)].push_back(memory);
        } else if (bytes >= kLargePage) {
            std::erase_if(blocks_, [&](const Block& block) { return block.get() == memory; });
        }
    }

  private:
    struct FreeMemory {
        void operator()(void* pointer) const { std::free(pointer); }
    };
    using Block = std::unique_ptr<void, FreeMemory>;

    static constexpr std::size_t kSmall = std::size_t{32} << 10U;
    static constexpr std::size_t kBlock = 4 * kLargePage;

    [[nodiscard]] static bool is_kept(std::size_t bytes) {
        return bytes >= kSmall && std::has_single_bit(bytes);
    }
    [[nodiscard]] static std::size_t size_class(std::size_t bytes) {
        return static_cast<std::size_t>(std::bit_width(bytes));
    }

    // A block that was given back; a larger one is halved. nullptr: there is none.
    void* take_kept(std::size_t wanted) {
        std::size_t found = wanted;
        while (found < free_.size() && free_[found].empty()) {
            ++found;
        }
        if (found == free_.size()) {
            return nullptr;
        }
        auto* memory = static_cast<std::byte*>(free_[found].back());
        free_[found].pop_back();
        for (; found > wanted; --found) {
            free_[found - 1].push_back(memory + (std::size_t{1} << (found - 2)));
        }
        return memory;
    }

    void* own_block(std::size_t bytes) {
        blocks_.push_back(Block(take_pages(bytes)));
        return blocks_.back().get();
    }

    std::mutex mutex_;
    std::vector<Block> blocks_;
    std::array<std::vector<void*>, 64> free_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace lockkeeper
