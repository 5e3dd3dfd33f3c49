// SPDX-License-Identifier: Apache-2.0

// Memory in large pages: a look into a table of many megabytes costs a page walk beside the cache
// miss when pages are small.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace lockkeeper {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20U;
inline constexpr std::size_t kCacheLine = 64;

// Aligned to 64 bytes; a block of a large page or more takes whole large pages. Freed by
// std::free. Throws std::bad_alloc.
[[nodiscard]] inline void* take_pages(std::size_t bytes) {
    const std::size_t alignment = bytes >= kLargePage ? kLargePage : kCacheLine;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const block = std::aligned_alloc(alignment, rounded);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    if (alignment == kLargePage) {
        madvise(block, rounded, MADV_HUGEPAGE);
    }
    return block;
}

// For containers of the standard library.
template <class T>
struct LargePages {
    using value_type = T;

    LargePages() = default;
    template <class Other>
    LargePages(const LargePages<Other>&) {}  // NOLINT(google-explicit-constructor): an allocator

    [[nodiscard]] T* allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T) / 2) {
            throw std::bad_alloc();
        }
        return static_cast<T*>(take_pages(count * sizeof(T)));
    }
    void deallocate(T* block, std::size_t) { std::free(block); }

    friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace lockkeeper
