// SPDX-License-Identifier: Apache-2.0

// The messages of processes that search together: plain values and arrays, one behind the other.
// All run the same program on the same kind of machine, so bytes are sent as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "model/check.hpp"

namespace lockkeeper {

using RankMessage = std::vector<std::byte>;
void append(RankMessage& message, const void* bytes, std::size_t size);

class MessageWriter {
  public:
    explicit MessageWriter(RankMessage& out) : out_(out) { out_.clear(); }

    template <class T>
    void value(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(&value, sizeof(T));
    }
    template <class T>
    void array(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        value(std::uint64_t{values.size()});
        append(values.data(), values.size() * sizeof(T));
    }
    void text(const std::string& text) {
        value(std::uint64_t{text.size()});
        append(text.data(), text.size());
    }

  private:
    void append(const void* bytes, std::size_t size) { lockkeeper::append(out_, bytes, size); }

    RankMessage& out_;
};

// Bytes behind the last value are passed over.
class MessageReader {
  public:
    explicit MessageReader(const RankMessage& message) : message_(message) {}

    template <class T>
    [[nodiscard]] T value() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof(T)), sizeof(T));
        return value;
    }
    template <class T>
    [[nodiscard]] std::vector<T> array() {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> values(value<std::uint64_t>());
        const std::size_t size = values.size() * sizeof(T);
        if (size > 0) {
            std::memcpy(values.data(), take(size), size);
        }
        return values;
    }
    [[nodiscard]] std::string text() {
        std::string text(value<std::uint64_t>(), '\0');
        std::memcpy(text.data(), take(text.size()), text.size());
        return text;
    }
    [[nodiscard]] const std::byte* take(std::size_t size) {
        LOCKKEEPER_CHECK(size <= message_.size() - at_);
        const std::byte* const first = message_.data() + at_;
        at_ += size;
        return first;
    }

  private:
    const RankMessage& message_;
    std::size_t at_ = 0;
};

}  // namespace lockkeeper
