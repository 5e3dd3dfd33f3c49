// SPDX-License-Identifier: Apache-2.0

// Words of the native canal lock: what a caller passes, what it gets. For C++ programs that use the
// lock (docs/howto/use_the_native_lock.md), and for everything in this folder.
#pragma once

#include <cstdint>

namespace lockkeeper::native {

// How many resources the caller sees, said with every call: `buckets` (nodes, shards, servers) with
// room for `max_per` each. A resize is nothing but callers passing another view from now on.
struct View {
    std::uint32_t max_per = 1;
    std::uint32_t buckets = 1;

    [[nodiscard]] constexpr std::uint64_t capacity() const {
        return std::uint64_t{max_per} * buckets;
    }
};

enum class AcquireStatus : std::uint8_t {
    kAcquired,
    kFull,
    kHolderGone,  // the holder was reported as crashed: it gets nothing any more
    kFailed,      // BucketRow only: where the published code has no rule, its caller's process dies
};

struct Acquired {
    AcquireStatus status = AcquireStatus::kFull;
    std::uint64_t count = 0;  // kAcquired: units of the key in use, this one included
};

enum class ReleaseStatus : std::uint8_t {
    kReleased,
    kNotHeld,  // nothing was given back: the holder has no unit of the key, or is gone
    kFailed,   // BucketRow only, as above
};

}  // namespace lockkeeper::native
