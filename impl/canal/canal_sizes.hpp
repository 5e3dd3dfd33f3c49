// SPDX-License-Identifier: Apache-2.0

// The sizes in which the canal lock is compiled. To add one: one line at the end of this file.
// CMake reads those lines, and compiles each size in an object file of its own
// (impl/canal/descriptor/canal_size.cpp.in).
#pragma once

#include <cstdint>
#include <limits>

#include "model/implementation.hpp"

namespace lockkeeper::canal {

// Counts of one (caller, key).
template <class Count>
struct ReferenceCounts {
    static constexpr std::uint32_t kMax = std::numeric_limits<Count>::max();
    Count monitored = 0;
    Count owned = 0;
};
using SmallReferences = ReferenceCounts<std::uint8_t>;
using WideReferences = ReferenceCounts<std::uint16_t>;

// Whether the searches are compiled for this size alone: several times as fast, and 25 s of the
// compiler's time (scenarios/registry/register_lock.hpp).
enum class SizeSearches : std::uint8_t { kOwn, kShared };

// Callers, keys, buckets, signals: how many of each the compiled state has room for. `Runs`: see
// Channel.
template <SizeSearches Compiled, std::size_t Callers, std::size_t Keys, std::size_t Buckets,
          class CounterType, class CountType, class PcType, std::size_t Remembered,
          std::size_t Runs, class ReferencesType, std::size_t Signals = 0>
struct CanalSize : WorldSize<Callers, Keys, PcType, CountType, Remembered, Signals> {
    static constexpr SizeSearches kSearches = Compiled;
    static constexpr std::size_t kBuckets = Buckets;
    static constexpr std::size_t kRuns = Runs;
    static constexpr std::size_t kQueue = 0;  // messages of one caller; 0: see Channel
    static constexpr bool kSupervised = false;
    using Counter = CounterType;
    using References = ReferencesType;
};

inline constexpr SizeSearches kOwn = SizeSearches::kOwn;
inline constexpr SizeSearches kShared = SizeSearches::kShared;
// Under sanitizers these are searched as all systems are, which finds the same states. What is
// reduced by private steps needs searches of its own (wave_test.cpp).
#ifdef LOCKKEEPER_SANITIZED
inline constexpr SizeSearches kOwnForSpeed = kShared;
#else
inline constexpr SizeSearches kOwnForSpeed = kOwn;
#endif

// Smallest first: a scenario gets the first that it fits. The state of TinySize fills one cache
// line. The many buckets of SmallSize are for callers that pass 0 buckets: each of their acquires
// may create one. ThrongSize is for sampling: nobody explores so many callers.
// clang-format off
using TinySize = CanalSize<kOwnForSpeed, 4, 1, 3, std::int8_t, std::uint8_t, std::uint8_t, 1, 1, SmallReferences>;
using SmallSize = CanalSize<kOwnForSpeed, 8, 1, 12, std::int8_t, std::uint8_t, std::uint8_t, 3, 1, SmallReferences>;
using KeysSize = CanalSize<kShared, 4, 3, 3, std::int8_t, std::uint8_t, std::uint8_t, 3, 4, SmallReferences>;
using CrowdSize = CanalSize<kOwn, 16, 1, 4, std::int8_t, std::uint8_t, std::uint8_t, 3, 1, SmallReferences, 16>;
using WideSize = CanalSize<kShared, 4, 4, 99, std::int16_t, std::uint16_t, std::uint16_t, 4, 8, WideReferences>;
using ThrongSize = CanalSize<kShared, 128, 1, 4, std::int8_t, std::uint8_t, std::uint8_t, 1, 1, SmallReferences>;
// clang-format on

// For canal_mailbox.hpp, and not for scenarios that ask for `canal`. Callers may send faster than
// the manager handles: each caller's messages are a queue with room for kQueue.
struct MailboxSize
    : CanalSize<kShared, 6, 2, 4, std::int8_t, std::uint8_t, std::uint8_t, 3, 1, SmallReferences> {
    static constexpr std::size_t kQueue = 12;
    static constexpr bool kSupervised = true;
};

}  // namespace lockkeeper::canal
