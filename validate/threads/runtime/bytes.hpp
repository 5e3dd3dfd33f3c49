// SPDX-License-Identifier: Apache-2.0

// memcpy, memset and memmove of the runtime itself: those of the program are watched.
#pragma once

#include <cstddef>

namespace lockkeeper::threads {

inline void copy_bytes(void* to, const void* from, std::size_t size) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

inline void copy_bytes_backwards(void* to, const void* from, std::size_t size) {
    to = static_cast<std::byte*>(to) + size - 1;
    from = static_cast<const std::byte*>(from) + size - 1;
    asm volatile("std\n\trep movsb\n\tcld" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

inline void fill_bytes(void* to, int value, std::size_t size) {
    asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
}

}  // namespace lockkeeper::threads
