// SPDX-License-Identifier: Apache-2.0

// Records what one atomic step showed to the outside. `apply` returns it; properties of transitions
// judge it, traces and histories are written from it. It is not part of any state.
#pragma once

#include <cstdint>

#include "model/operation.hpp"

namespace lockkeeper {

// Bits of Event::what. Several may be set by one step.
enum EventBit : std::uint32_t {
    kAcquired = 1U << 0,           // an acquire returned with a lock
    kRefused = 1U << 1,            // an acquire returned "full"
    kReleased = 1U << 2,           // a release returned
    kInvoked = 1U << 3,            // a call began with this step
    kTookUnit = 1U << 4,           // a unit of capacity was taken from `place`
    kGaveUnitBack = 1U << 5,       // a unit of capacity was given back to `place`
    kForeignRelease = 1U << 6,     // something was released that the releaser did not hold
    kCallerDied = 1U << 7,         // the caller died by the implementation's own error
    kServersDied = 1U << 8,        // the servers died by the implementation's own error
    kCrashed = 1U << 9,            // the caller was killed, or its script ended its process
    kResized = 1U << 10,           // callers see another number of places from now on
    kNothingToRelease = 1U << 11,  // a release found nothing to give back
    kForcedRelease = 1U << 12,     // a release gave up its search and gave back by force
    kFoundFull = 1U << 13,         // an acquire found (or put) a place at its cap
    kPlaceCreated = 1U << 14,      // a place was created
    kGranted = 1U << 15,           // this step decided that the acquire is granted
    // Only for implementations with an own record of who holds what (databases, lease services):
    kFailed = 1U << 16,         // a call returned with an error; `error` says which
    kDone = 1U << 17,           // another call than acquire and release returned
    kLost = 1U << 18,           // the call told the caller that it holds no longer
    kEffect = 1U << 19,         // the protected resource took an effect of the caller
    kEffectRefused = 1U << 20,  // the protected resource refused it
    kOverlap = 1U << 21,        // acquired while another believed to hold what this excludes
    kWentWrong = 1U << 22,      // a fault happened
    kTimePassed = 1U << 23,
    kBreach = 1U << 24,  // see Breach
};

// Bits of Event::breaches, which only the system that made the step can know. They have their own
// word, so that the hot path checks for all of them with one bit of `what`.
enum class Breach : std::uint32_t {
    kUnprotected = 1U << 0,     // the effect was taken although the issuer's grant was over
    kForeignRemoval = 1U << 1,  // a valid record of another acquisition was removed
    kFalseOk = 1U << 2,         // a release returned ok although the lock had been lost before
    kFalseError = 1U << 3,      // what a block that ended, or ends, with an error did is committed
    kTokenRepeated = 1U << 4,   // a grant's token is not larger than that of an earlier grant
    kStale = 1U << 5,           // read under the lock: not what was committed last
    kToldLate = 1U << 6,        // somebody has believed for too long since his grant was lost
    kFreeLate = 1U << 7,        // what a dead caller left has kept its key for too long
    kRepeated = 1U << 8,        // an effect that is to happen once had been taken before
    kWaitsLong = 1U << 9,       // more messages wait for the servers than the scenario allows
    kOverRate = 1U << 10,       // more grants in one window than the scenario's limit allows
    kUnderRate = 1U << 11,      // refused with fewer in it than the limit says are no reason
};

struct Event {
    static constexpr std::int32_t kNoValue = INT32_MIN;
    static constexpr std::uint8_t kNoCaller = 0xFF;

    std::uint32_t what = 0;
    std::uint8_t caller = kNoCaller;
    std::uint8_t key = 0;
    std::uint8_t error = 0;            // kFailed, kRefused: the implementation's number of it, or 0
    Verb invoked = Verb::kAcquire;     // kInvoked: what was called; kSignal and kWait without it
    std::uint16_t place = 0;           // of capacity, counted from 1; 0: none
    std::uint32_t breaches = 0;        // set by note(), with kBreach
    std::int32_t value = kNoValue;     // what the step read or stored
    std::int32_t count = kNoValue;     // kAcquired: the running count returned, where there is one
    std::uint32_t capacity = 0;        // kAcquired, kRefused: of all places, as the caller sees it
    std::uint32_t place_capacity = 0;  // of each
    std::uint32_t holding_before = 0;  // kGranted: locks of the key held or granted just before
    // Monitors of the call that returns (see World): locks that others held for certain, and could
    // have held at most, over all instants of the call.
    std::uint32_t certain_least = 0;
    std::uint32_t possible_most = 0;

    [[nodiscard]] bool is(EventBit bit) const { return (what & bit) != 0; }
    [[nodiscard]] bool is(Breach breach) const { return (breaches & bit_of(breach)) != 0; }
    void note(Breach breach, bool applies = true) {
        breaches |= applies ? bit_of(breach) : 0U;
        what |= applies ? std::uint32_t{kBreach} : 0U;
    }
    void forget(Breach noted) {
        breaches &= ~bit_of(noted);
        what &= ~(breaches == 0 ? std::uint32_t{kBreach} : 0U);
    }
    static constexpr std::uint32_t bit_of(Breach breach) {
        return static_cast<std::uint32_t>(breach);
    }
    // A signal or a wait of a script, whole in one step. No call: nothing of `what` is set, and
    // `value` is what the signal counts afterwards.
    [[nodiscard]] bool passed_signal() const {
        return invoked == Verb::kSignal || invoked == Verb::kWait;
    }
};

}  // namespace lockkeeper
