// SPDX-License-Identifier: Apache-2.0

// A growing array of items of `width` elements each, that never moves what it holds.
//
// Segments double in size, so that a small search touches little memory. Only items are counted.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "scheduler/states/page_arena.hpp"

namespace lockkeeper {

template <class T>
class SegmentedArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit SegmentedArray(PageArena& arena, std::size_t width = 1)
        : arena_(&arena), width_(width) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t width() const { return width_; }
    [[nodiscard]] std::size_t bytes() const { return size_ * width_ * sizeof(T); }

    [[nodiscard]] const T* at(std::size_t index) const { return place(index); }
    [[nodiscard]] T* at(std::size_t index) { return place(index); }

    // Room for one more item, its content undefined.
    T* append() {
        if (segment_of(size_) == segments_.size()) {
            const std::size_t items =
                segments_.size() < kGrowing ? kFirst << segments_.size() : kLargest;
            segments_.push_back(static_cast<T*>(arena_->take(items * width_ * sizeof(T))));
        }
        return place(size_++);
    }

    // Keeps the memory for the next items.
    void clear() { size_ = 0; }
    // The first ones, at most as many as there are.
    void shrink(std::size_t size) { size_ = size; }

  private:
    // Segment s holds kFirst << s items, and at most kLargest: of large pages that are begun, all
    // is memory.
    static constexpr std::size_t kFirst = 256;
    static constexpr std::size_t kLargest = 32768;
    static constexpr std::size_t kGrowing = 7;  // segments before the first of the largest
    static constexpr std::size_t kFirstOfLargest = kLargest - kFirst;
    static_assert(kFirst << kGrowing == kLargest);

    [[nodiscard]] static std::size_t segment_of(std::size_t index) {
        return index < kFirstOfLargest
                   ? static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1
                   : kGrowing + (index - kFirstOfLargest) / kLargest;
    }
    [[nodiscard]] T* place(std::size_t index) const {
        const std::size_t segment = segment_of(index);
        const std::size_t first = segment < kGrowing
                                      ? (kFirst << segment) - kFirst
                                      : kFirstOfLargest + (segment - kGrowing) * kLargest;
        return segments_[segment] + (index - first) * width_;
    }

    PageArena* arena_;
    std::size_t width_;
    std::size_t size_ = 0;
    std::vector<T*> segments_;
};

}  // namespace lockkeeper
