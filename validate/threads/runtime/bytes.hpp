// SPDX-License-Identifier: Apache-2.0

// memcpy, memset and memmove of the runtime itself: those of the program are watched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockkeeper::threads {

// Few bytes are copied by words: the string instructions begin slowly.
constexpr std::size_t kFewBytes = 64;
struct __attribute__((may_alias, packed)) AnyWord {
    std::uint64_t value;
};

// The empty instruction keeps the compiler from calling memcpy, which is defined by this.
inline void copy_bytes(void* to, const void* from, std::size_t size) {
    if (size <= kFewBytes) {
        auto* at = static_cast<std::byte*>(to);
        const auto* source = static_cast<const std::byte*>(from);
        for (; size >= sizeof(AnyWord); size -= sizeof(AnyWord)) {
            *reinterpret_cast<AnyWord*>(at) = *reinterpret_cast<const AnyWord*>(source);
            at += sizeof(AnyWord);
            source += sizeof(AnyWord);
            asm volatile("" : : : "memory");
        }
        for (; size > 0; --size) {
            *at++ = *source++;
            asm volatile("" : : : "memory");
        }
        return;
    }
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

inline void copy_bytes_backwards(void* to, const void* from, std::size_t size) {
    to = static_cast<std::byte*>(to) + size - 1;
    from = static_cast<const std::byte*>(from) + size - 1;
    asm volatile("std\n\trep movsb\n\tcld" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

inline void fill_bytes(void* to, int value, std::size_t size) {
    if (size <= kFewBytes) {
        auto* at = static_cast<std::byte*>(to);
        const std::uint64_t word = 0x0101010101010101U * static_cast<std::uint8_t>(value);
        for (; size >= sizeof(AnyWord); size -= sizeof(AnyWord)) {
            reinterpret_cast<AnyWord*>(at)->value = word;
            at += sizeof(AnyWord);
            asm volatile("" : : : "memory");
        }
        for (; size > 0; --size) {
            *at++ = static_cast<std::byte>(value);
            asm volatile("" : : : "memory");
        }
        return;
    }
    asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
}

}  // namespace lockkeeper::threads
