// SPDX-License-Identifier: Apache-2.0

// Every implementation shows this much, whatever its state looks like. Properties of states read
// only this, so that one property serves every implementation, the broken ones too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace lockkeeper {

inline constexpr std::size_t kCallersMax = 128;
inline constexpr std::size_t kKeysMax = 4;
inline constexpr std::int32_t kAbsentCounter = std::numeric_limits<std::int32_t>::min();

struct KeyObservation {
    // Locks that live callers believe to hold: returned by acquire, release not yet called.
    std::uint32_t believed = 0;
    // Units of capacity that the counters say are in use, cap marks apart. When callers disagree
    // about the capacity of a place, a counter at some caller's cap may or may not contain a mark;
    // then the two differ, and the truth lies between them.
    std::uint32_t counted_least = 0;
    std::uint32_t counted_most = 0;
    // False: every release of this key fails from now on, whatever happens.
    bool releasable = true;
    // Locks that the servers' records grant now. Phantoms: those granted to a live caller that
    // does not believe to hold them and is not about to be told.
    std::uint32_t granted = 0;
    std::uint32_t phantoms = 0;
    // The key's counters for reports; kAbsentCounter where a counter does not exist. With
    // kShowsPlaces each place has one: the units of the place that are in use.
    std::vector<std::int32_t> counters;

    [[nodiscard]] std::int32_t lowest_counter() const {
        std::int32_t lowest = 0;
        for (const std::int32_t counter : counters) {
            lowest = counter == kAbsentCounter ? lowest : std::min(lowest, counter);
        }
        return lowest;
    }
};

struct CallerObservation {
    bool dead = false;
    bool calling = false;   // inside an operation (a retried acquire counts until it succeeds)
    bool finished = false;  // its script has ended
    std::array<std::uint32_t, kKeysMax> believed{};
    std::array<std::uint32_t, kKeysMax> references{};  // what the servers would free at its death
};

struct Observation {
    std::uint8_t callers_count = 0;
    std::uint8_t keys_count = 0;
    // No call is under way, no message pending, the servers idle.
    bool quiescent = false;
    // The servers died, and took their tables along: properties judge nothing of them.
    bool servers_gone = false;
    // The servers' records grant two locks that exclude each other.
    bool grants_overlap = false;
    // Two callers believe to hold locks that exclude each other; only with kShowsGrants.
    bool beliefs_overlap = false;
    // Virtual time since the beginning, in the scenario's units; 0 where the system has no clock.
    std::int32_t now = 0;
    std::array<KeyObservation, kKeysMax> keys;
    std::array<CallerObservation, kCallersMax> callers;
};

// Features that an implementation can show. A property that needs a missing one does not apply.
enum ObservedFeature : std::uint32_t {
    kShowsCounters = 1U << 0,
    kShowsReferences = 1U << 1,
    kShowsManager = 1U << 2,    // the servers can die
    kShowsPlaces = 1U << 3,     // events carry the place of every unit taken or given back
    kShowsCount = 1U << 4,      // acquire returns a running count
    kShowsGrants = 1U << 5,     // an own record of who holds what, apart from what callers believe
    kShowsEffects = 1U << 6,    // effects on a protected resource
    kShowsTokens = 1U << 7,     // each grant has a token
    kShowsData = 1U << 8,       // data that is read and written under the lock
    kHasCapacity = 1U << 9,     // a key has places, and each a capacity
    kBoundsTelling = 1U << 10,  // the scenario says within what time a holder is told of a loss
    kBoundsFreeing = 1U << 11,  // and within what time what a dead caller left is free again
    kCountsEffects = 1U << 12,  // an effect that is to happen once is told from its repetition
    kShowsOutcomes = 1U << 13,  // whether what a call that failed was to end with is committed
    kShowsHistory = 1U << 14,   // calls and returns of outside code: no system has it
    kBoundsWaiting = 1U << 15,  // the scenario says how many messages may wait for the servers
    kBoundsRate = 1U << 16,     // it says the rate of a limiter: of outside code, no system has it
};

}  // namespace lockkeeper
