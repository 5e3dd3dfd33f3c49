// A growing array of items of `width` elements each, that never moves what it holds.
//
// Segments double in size, so that a small search touches little memory. Only items are counted.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "scheduler/page_arena.hpp"

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
        const std::size_t segment = segment_of(size_);
        if (segments_[segment] == nullptr) {
            const std::size_t items = kFirst << segment;
            segments_[segment] = static_cast<T*>(arena_->take(items * width_ * sizeof(T)));
        }
        return place(size_++);
    }

    // Keeps the memory for the next items.
    void clear() { size_ = 0; }

  private:
    // Segment s holds kFirst << s items.
    static constexpr std::size_t kFirst = 256;
    static constexpr std::size_t kSegments = 26;

    [[nodiscard]] static std::size_t segment_of(std::size_t index) {
        return static_cast<std::size_t>(std::bit_width(index / kFirst + 1)) - 1;
    }
    [[nodiscard]] T* place(std::size_t index) const {
        const std::size_t segment = segment_of(index);
        const std::size_t first = (kFirst << segment) - kFirst;
        return segments_[segment] + (index - first) * width_;
    }

    PageArena* arena_;
    std::size_t width_;
    std::size_t size_ = 0;
    std::array<T*, kSegments> segments_{};
};

}  // namespace lockkeeper
