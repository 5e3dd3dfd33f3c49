// SPDX-License-Identifier: Apache-2.0

// Asks for the cache line of an address that will be looked at soon.
#pragma once

namespace lockkeeper {

// Without the empty asm g++ takes a function that does nothing but prefetch for one without effect
// and drops its calls.
[[gnu::always_inline]] inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");
}

}  // namespace lockkeeper
