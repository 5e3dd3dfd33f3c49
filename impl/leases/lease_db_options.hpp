// SPDX-License-Identifier: Apache-2.0

// The database leases: their repairs, what is configured, their labels and calls (lease_db.hpp).
#pragma once

#include "impl/leases/lease_parts.hpp"

namespace lockkeeper::leases {

enum LeaseDbRepair : std::uint16_t {
    kDbOwnDeadline = 1U << 0,
    kDbCleanUp = 1U << 1,
    kDbGrowingTokens = 1U << 2,
    kDbFencing = 1U << 3,
    kDbGuardedWrites = 1U << 4,
    kDbCheckedCompletion = 1U << 5,
    kDbTombstones = 1U << 6,
    kDbAppliedOnce = 1U << 7,
    kDbCheckedPick = 1U << 8,
    kAllLeaseDbRepairs = (1U << 9) - 1,
};

struct LeaseDbRules;  // lease_rules.hpp
extern const LeaseDbRules kSoundLeaseDbRules;

struct LeaseDbOptions : LeaseOptions {
    const LeaseDbRules* rules = &kSoundLeaseDbRules;
    bool calls = false;
    bool retries = true;
    bool singleton = false;        // nobody looks whether the lease that he holds is lost
    bool reaped_by_task = false;   // and nothing else reaps
    bool oldest_first = false;     // a pick gets the oldest pending call, or none
    std::int32_t stream_end = -1;  // so long after its controller's crash a client is told of it
};

enum class LeaseDbAt : std::uint8_t {
    kNowhere,
    kPick,
    kInsert,
    kInsertWaits,
    kMark,
    kMarkWaits,
    kBeginRenewals,
    kPickCommit,
    kInsertCommit,
    kInsertReply,
    kDelete,
    kDeleteWaits,
    kDeleteCommit,
    kCleanUp,
    kSendWrite,
    kWriteArrives,
    kComplete,
    kCompleteWaits,
    kCompleteCommit,
    kHang,
    kDeleteRow,
    kReapRows,
    kLieDown,
    kAsleep,
};

// Calls beside acquire and release.
enum class LeaseDbCall : std::uint8_t { kWrite, kComplete, kHang, kDeleteRow, kReapRows };

}  // namespace lockkeeper::leases
