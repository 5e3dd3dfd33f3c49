// SPDX-License-Identifier: Apache-2.0

// Parameters of the canal lock: those of the published algorithm, and the repairs. Made by the
// descriptor from a scenario; read by CanalLock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockkeeper::canal {

// Each repair is a switch. Its absence, all others being on, is a scenario of its own in
// scenarios/canal/repairs/, and docs/findings/canal_lock.md explains the five executions.
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
    bool returns_count = true;          // acquire tells the running count
    bool asynchronous_release = false;  // of a size with queues: no reply to a release
    std::uint8_t repairs = kNoRepair;
    std::vector<std::string> keys{"db"};
    std::vector<InitialTable> tables;  // per key; missing ones are cold
    // Every max_per that some caller passes: tells cap marks from units.
    std::vector<std::uint16_t> max_pers{1};
};

}  // namespace lockkeeper::canal
