// SPDX-License-Identifier: Apache-2.0

// The multi lock: its repairs, what is configured, its labels and calls (multi_lock.hpp).
#pragma once

#include "impl/monglock/client_side.hpp"

namespace lockkeeper::monglock {

enum MultiLockRepair : std::uint16_t {
    kAllElements = 1U << 0,
    kCurrentClock = 1U << 1,
    kOwnEntry = 1U << 2,
    kMultiGuardedWrites = 1U << 3,
    kMultiOwnDeadline = 1U << 4,
    kMultiCleanUp = 1U << 5,
    kMultiSettlingReads = 1U << 6,
    kMultiKeptWrites = 1U << 7,
    kMultiAppliedOnce = 1U << 8,
    kOwnFields = 1U << 9,
    kAllMultiLockRepairs = (1U << 10U) - 1U,
};

using TagSet = std::uint8_t;       // bit t: tag t
using DocumentSet = std::uint8_t;  // bit d: document d

struct MultiLockRules;  // monglock_rules.hpp
extern const MultiLockRules kSoundMultiLockRules;

struct MultiLockOptions : ClientSideOptions {
    const MultiLockRules* rules = &kSoundMultiLockRules;
    std::vector<std::int32_t> lock_timeouts;  // by tag, of clients that have none of their own
    std::vector<TagSet> cooperative;
    std::vector<TagSet> assertive;
    std::vector<std::uint8_t> documents;  // by tag; empty: there is one document
    TagSet unknown = 0;                   // the configuration has no relations of them
    TagSet write_locks = 0;               // no tags: the write locks of their documents
    bool asks_again = true;               // some script may ask again
    bool keeps_released = false;  // some script asks again: a lock that it has released will do
    std::uint16_t repairs = 0;
};

enum class MultiLockAt : std::uint8_t {
    kNowhere,
    kReadClock,
    kReadTimestamp,
    kPush,
    kLookAfterPush,
    kReadClockAgain,
    kLookAtAssertive,
    kAsk,
    kAskAgain,
    kCheckClock,  // own_deadline
    kWithdraw,
    kRelease,
    kCheckRelease,  // own_entry
    kLookAfterRelease,
    kCleanUp,
    kWrite,
    kLieDown,
    kAsleep,
    kForEver,
};

// Calls beside acquire and release.
enum class MultiLockCall : std::uint8_t { kAskAgain, kWrite, kWithdraw };

}  // namespace lockkeeper::monglock
