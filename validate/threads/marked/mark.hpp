// SPDX-License-Identifier: Apache-2.0

// A mark of the test (lockkeeper/marks.hpp) in one execution: a call of a lock begins or ends, or
// what is free at rest was asked for. The runtime records marks; the judge reads them.
#pragma once

#include <cstdint>

#include "validate/threads/graph/event.hpp"

namespace lockkeeper::threads {

struct Mark {
    enum class What : std::uint8_t {
        kAcquiring,
        kAcquired,
        kRefused,
        kReleasing,
        kReleased,
        kLost,     // the release is told that the lock was lost
        kExpired,  // the holder regards its time as over
        kLook,     // begins to look what is free at rest
        kAtRest,   // `units` could be had
    };
    What what = What::kAcquiring;
    bool is_reentrant = false;  // kAcquiring: its holder may have it again
    bool has_end = false;       // kAcquired: the lock expires
    Thread thread = kNobody;
    // How many events of its thread come before it.
    std::uint16_t at = 0;
    const void* lock = nullptr;
    std::uint32_t life = 0;      // how many locks have had the address before
    std::uint32_t capacity = 1;  // kAcquiring, kLook
    std::uint32_t units = 1;     // of the call
    std::uint64_t site = 0;      // where it stands in the program, for people
};

// Others may go on before the call has its effect, and behind its return.
[[nodiscard]] constexpr bool is_return(Mark::What what) {
    return what == Mark::What::kAcquired || what == Mark::What::kRefused ||
           what == Mark::What::kReleased || what == Mark::What::kLost;
}

}  // namespace lockkeeper::threads
