// SPDX-License-Identifier: Apache-2.0

// Identifies a step, for code that repeats it on a real server and compares, and for code that
// tells causes of violations apart. An implementation that has a server says so by `server_step`
// (implementation.hpp). describe() has the words for people, which may change at any time; these
// names have no words.
#pragma once

#include <compare>
#include <cstdint>

#include "model/observation.hpp"
#include "model/operation.hpp"

namespace lockkeeper {

enum class ServerStep : std::uint8_t {
    kNothing,  // of the caller alone: effects outside, sleep, signals
    kUnknown,  // nothing that a server can be told
    // Transactions:
    kBegin,
    kLock,
    kGoesOn,  // the lock statement that waited
    kGuard,
    kGiveUp,
    kEnd,         // COMMIT, or ROLLBACK because of an error before
    kCommitEnds,  // the second half of COMMIT, at the server
    kAcknowledge,
    kAsk,
    kInnerEnd,
    kInnerError,
    kJoin,
    kRollBack,
    kRead,
    kWrite,
    kEffect,
    kLook,
    kFail,
    kSavepoint,
    kOpenNew,  // a savepoint, for a block with a transaction of its own
    kRollBackTo,
    kReleaseSavepoint,
    kCount,
    kDelete,
    kDeleteEnds,
    kRowFirst,
    kCheckOut,
    kPooledLock,
    kUnlock,
    kPutBack,
    kCheckOutOther,  // a connection that the caller takes beside its own
    kPutBackOther,
    // Transactions, by the server itself. of_lost_session: its caller has lost the session.
    kLooksForDeadlock,
    kTimesOut,
    kNoticesLoss,    // that the session's client has gone
    kSessionGoesOn,  // the waiting statement of a session that has no client
    kSessionKilled,
    kServerCrashes,
    kConnectionLost,  // while the caller's statement waits
    // Leases, by callers:
    kCallPick,
    kLeaseInsert,
    kCallMark,
    kRenewalsBegin,
    kPickCommit,
    kLeaseCommit,
    kLeaseReply,
    kLeaseDelete,
    kLeaseCleanUp,  // also by itself
    kRowDeleted,    // by anybody, whosever it is
    kWriteSent,     // and there at once where nothing takes time
    kWriteArrives,
    kComplete,
    kCompleteCommit,
    kOrphaned,  // no answer: its controller has crashed
    kExits,
    // Leases, beside the calls:
    kRenewalSent,
    kRenewalHandled,
    kRenewalAnswered,
    kGivenUp,  // by the client: no answer, its own deadline, or a broken connection
    kReplyLost,
    kRenewalReset,  // and the request with it
    kReap,
    kNotice,     // a call that executes without a lease
    kLate,       // an insert that its caller has given up
    kRowLocked,  // by a transaction of somebody else
    kRowUnlocked,
    kRenewalGoesOn,  // that has waited for its row
    kRenewalCut,     // by its statement time-out
    kControllerCrashed,
    kClockForward,
    kClockBack,
    // A table of counters and its manager:
    kUpdateCounter,
    kInsertNew,
    kRegister,
    kNotify,
    kReadHighest,
    kSubtract,
    kUndo,
    kSubtractMark,
    kForce,
    kSendUnlock,
    kReceiveReply,
    kTakeLock,  // by the manager, from its mailbox
    kTakeUnlock,
    kTakeDown,
};

// The fault that the step meets.
enum class ServerFault : std::uint8_t {
    kNone,
    kRequestLost,
    kReplyLost,
    kSlowCommit,
    kSmallToken,
    kRequestLate,
    kStatementFails,
    kAcknowledgementLost,
    kUnknown,
};

struct ServerAct {
    ServerStep step = ServerStep::kNothing;
    ServerFault fault = ServerFault::kNone;
    std::uint8_t key = 0;
    std::uint16_t bucket = 0;  // counted from 1; 0: no bucket
    Verb verb = Verb::kCall;   // of the operation that a caller's step belongs to
    // kEnd: the block has met an error before. kInnerEnd: it asks whether the connection is there.
    bool after_error = false;
    bool asks_connection = false;
    bool of_lost_session = false;
    // The label (At) of a caller's step, as a number; also where there is no server.
    std::uint8_t label = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const ServerAct&, const ServerAct&) = default;
};

// The server's row of one key, where a key is one row.
struct ServerRow {
    unsigned acquisition = 0;  // counted from 1; 0: no row
    bool inserting = false;    // not committed
    bool deleting = false;
    bool looked_at = false;  // locked by a transaction of somebody else
    // In a table of counters: the number of the last place in use, where the server keeps it.
    std::int32_t last_place = kAbsentCounter;
};

}  // namespace lockkeeper
