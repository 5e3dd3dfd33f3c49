// Parameters of the canal lock: those of the published algorithm, the repairs, and the size of the
// compiled state. Made by the registry from a scenario; read by CanalLock.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/implementation.hpp"

namespace lockkeeper::canal {

// Each repair is a switch. Its absence, all others being on, is a scenario of its own in
// scenarios/canal/repairs/, and docs/canal_lock.md explains the five executions.
enum Repair : std::uint8_t {
    // Acquire is one conditional update of the key's whole row: no mark, no walk over buckets.
    kWholeRowTake = 1U << 0,
    // Release is one update of the whole row: no undo, no second decrement, no forced one.
    kWholeRowGiveBack = 1U << 1,
    // The row is compared as a whole with the caller's own view (max_per * buckets), and the count
    // returned is the row's.
    kCountAgainstView = 1U << 2,
    // The manager is told before the unit is taken, not after.
    kAnnounceFirst = 1U << 3,
    // The row says who holds: giving back removes the holder's own entry or does nothing.
    kOwnersInRow = 1U << 4,
};
inline constexpr std::uint8_t kAllRepairs = 0x1F;
inline constexpr std::uint8_t kNoRepair = 0;

struct InitialTable {
    // One value per bucket; empty: cold, no bucket exists.
    std::vector<std::int32_t> buckets;
    std::optional<std::int32_t> highest;
};

struct CanalOptions {
    // nullopt: never forced. The published value is 15, the text says "say 10".
    std::optional<std::uint8_t> max_decr_tries = 15;
    std::uint16_t manager_max_per = 1;
    // False leaves out notification, unlock and DOWN steps, to study the counters alone.
    bool has_manager = true;
    bool returns_count = true;  // acquire tells the running count
    std::uint8_t repairs = kNoRepair;
    std::vector<std::string> keys{"db"};
    std::vector<InitialTable> tables;  // per key; missing ones are cold
    // Every max_per that some caller passes: tells cap marks from units.
    std::vector<std::uint16_t> max_pers{1};
};

// Counts of one (caller, key).
template <class Count>
struct ReferenceCounts {
    static constexpr std::uint32_t kMax = std::numeric_limits<Count>::max();
    Count monitored = 0;
    Count owned = 0;
};
using SmallReferences = ReferenceCounts<std::uint8_t>;
using WideReferences = ReferenceCounts<std::uint16_t>;

// Callers, keys, buckets, signals: how many of each the compiled state has room for. `Runs`: see
// Channel.
template <std::size_t Callers, std::size_t Keys, std::size_t Buckets, class CounterType,
          class CountType, class PcType, std::size_t Remembered, std::size_t Runs,
          class ReferencesType, std::size_t Signals = 0>
struct CanalSize : WorldSize<Callers, Keys, PcType, CountType, Remembered, Signals> {
    static constexpr std::size_t kBuckets = Buckets;
    static constexpr std::size_t kRuns = Runs;
    using Counter = CounterType;
    using References = ReferencesType;
};

// The compiled sizes, smallest first. The state of TinySize fills one cache line.
using TinySize = CanalSize<4, 1, 3, std::int8_t, std::uint8_t, std::uint8_t, 1, 1, SmallReferences>;
// Its buckets are for callers that pass 0 buckets: each of their acquires may create one.
using SmallSize =
    CanalSize<8, 1, 12, std::int8_t, std::uint8_t, std::uint8_t, 3, 1, SmallReferences>;
using CrowdSize =
    CanalSize<16, 1, 4, std::int8_t, std::uint8_t, std::uint8_t, 3, 1, SmallReferences, 16>;
// For sampling: nobody explores so many.
using ThrongSize =
    CanalSize<128, 1, 4, std::int8_t, std::uint8_t, std::uint8_t, 1, 1, SmallReferences>;
using KeysSize = CanalSize<4, 3, 3, std::int8_t, std::uint8_t, std::uint8_t, 3, 4, SmallReferences>;
using WideSize =
    CanalSize<4, 4, 99, std::int16_t, std::uint16_t, std::uint16_t, 4, 8, WideReferences>;

}  // namespace lockkeeper::canal
