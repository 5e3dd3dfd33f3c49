// SPDX-License-Identifier: Apache-2.0

// An operation as the models see it: a record's words and values made into numbers once, before the
// search. Made by read_operations; nothing but numbers, so that a step costs nothing but
// arithmetic.
#pragma once

#include <cstdint>

namespace lockkeeper {

enum class LockCode : std::uint8_t {
    kAcquire,
    kRelease,
    kRenew,
    kExit,
    kWrite,
    kDestroy,
    kCancel,
    kClose,
    kOpen,  // no word of a history: an acquire that got nothing may take a place
};
inline constexpr LockCode kLockCodes[] = {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew,
                                          LockCode::kExit, LockCode::kWrite};
// With those that only pools know.
inline constexpr LockCode kAllCodes[] = {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew,
                                         LockCode::kExit,    LockCode::kWrite,   LockCode::kDestroy,
                                         LockCode::kCancel,  LockCode::kClose};

inline constexpr std::int64_t kUnknownNumber = INT64_MIN;
inline constexpr std::int64_t kForever = INT64_MAX;
// The one that says that there is no token (invalid=T): a write must not have it, a grant may have
// any token or none. Tokens are not below 0.
inline constexpr std::int64_t kInvalidToken = -1;
[[nodiscard]] constexpr bool says_token(std::int64_t number) { return number >= 0; }

// How an acquire of a pool ended that got nothing.
enum class WaitEnd : std::uint8_t {
    kRefused,         // there must have been a reason
    kGivenUp,         // by its caller, or no connection could be opened: that is the reason
    kStillWaits,      // at the end of the record
    kWaitsCancelled,  // the same, and was cancelled
};

struct LockOperation {
    LockCode code = LockCode::kAcquire;
    bool is_refused = false;        // an acquire that failed, where refusals are judged
    bool is_token_granted = false;  // a write: some grant of the history has its token
    // Read/write lock: 1 is write; multi lock: number of the tag; pool: a WaitEnd.
    std::uint8_t mode = 0;
    std::uint32_t owner = 0;  // from 0
    std::int64_t amount = 1;  // permits
    // Capacity, token or number of the connection, as the model has it; pool: see add_openings.
    std::int64_t number = kUnknownNumber;
    std::int64_t ttl = kUnknownNumber;  // pool: see bind_cancels
    // The earliest and latest time at which it can have happened; only leases look at them.
    std::int64_t earliest = 0;
    std::int64_t latest = kForever;
    bool is_lent_again = false;  // a destroy: some grant that may come later has its connection

    friend bool operator==(const LockOperation&, const LockOperation&) = default;
};

[[nodiscard]] constexpr bool is_of_pools(LockCode code) { return code >= LockCode::kDestroy; }

[[nodiscard]] constexpr const char* name_of(LockCode code) {
    constexpr const char* kNames[] = {"acquire", "release", "renew", "exit", "write",
                                      "destroy", "cancel",  "close", "open"};
    return kNames[static_cast<std::size_t>(code)];
}

}  // namespace lockkeeper
