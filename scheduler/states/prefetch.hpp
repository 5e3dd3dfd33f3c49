// SPDX-License-Identifier: Apache-2.0

// Asks for the cache line of an address that will be looked at soon.
#pragma once

#include <cstddef>

namespace lockkeeper {

// Without the empty asm g++ takes a function that does nothing but prefetch for one without effect
// and drops its calls.
[[gnu::always_inline]] inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}

// The same for all lines of so many bytes.
[[gnu::always_inline]] inline void prefetch_all(const std::byte* first, std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < bytes; at += kLine) {
        prefetch(first + at);
    }
    prefetch(first + (bytes > 0 ? bytes - 1 : 0));
}

}  // namespace lockkeeper
