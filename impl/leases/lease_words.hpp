// SPDX-License-Identifier: Apache-2.0

// Words that the three lease systems share: errors, faults, and how often these may happen.
// Source: docs/decisions/models/leases.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/message_fates.hpp"

namespace lockkeeper::leases {

enum class Error : std::uint8_t {
    kNone,
    kConflict,  // somebody else's record is there
    kTtlTooShort,
    kDbError,         // the statement or its COMMIT failed, or its answer was lost
    kLeaseLost,       // the record is not there any more
    kTimedOut,        // waited in vain
    kNoCall,          // no pending call
    kAlreadyHeld,     // the library has a lease of this scope
    kStreamEnded,     // the service ended the stream, or the connection broke
    kHookFailed,      // and what the transaction had done is rolled back
    kControllerLost,  // the controller crashed that had been asked
    kOtherCall,       // the oldest pending call is another
};

[[nodiscard]] constexpr std::string_view name_of(Error error) {
    switch (error) {
        case Error::kNone: return "ok";
        case Error::kConflict: return "Conflict";
        case Error::kTtlTooShort: return "TtlTooShort";
        case Error::kDbError: return "DbError";
        case Error::kLeaseLost: return "LeaseLost";
        case Error::kTimedOut: return "TimedOut";
        case Error::kNoCall: return "NoCall";
        case Error::kAlreadyHeld: return "AlreadyHeld";
        case Error::kStreamEnded: return "StreamEnded";
        case Error::kHookFailed: return "HookFailed";
        case Error::kControllerLost: return "ControllerLost";
        case Error::kOtherCall: return "OtherCall";
    }
    return "?";
}

// The faults of one step of a call.
enum class StepFault : std::uint8_t {
    kNone,
    kLostRequest,  // not applied, and the caller gets an error
    kLostReply,    // applied, COMMIT too, and the caller gets an error
    kSlowCommit,   // applied, and for a while not committed
    kSmallToken,   // the random token is smaller than all before it
    kLateRequest,  // the caller gets an error, and the request is applied after that
    kSentAgain,    // applied, the answer is lost, and what is below the caller sends it again
    kCopied,       // delivered twice: a copy is under way when the first is answered
    kHookFails,    // what it does in the transaction of the row fails: nothing is applied
};

[[nodiscard]] constexpr std::string_view name_of(StepFault fault) {
    switch (fault) {
        case StepFault::kNone: return "";
        case StepFault::kLostRequest: return "request lost";
        case StepFault::kLostReply: return "applied, but the answer is lost";
        case StepFault::kSlowCommit: return "slow COMMIT";
        case StepFault::kSmallToken: return "draws a small token";
        case StepFault::kLateRequest: return "the request is late, and counts as lost";
        case StepFault::kSentAgain: return "applied, the answer is lost; it is sent again";
        case StepFault::kCopied: return "delivered twice, the copy comes later";
        case StepFault::kHookFails: return "its hook fails, all is rolled back";
    }
    return "?";
}

// The faults that can happen at any time. The actor is a caller, where one is concerned.
enum class Disturbance : std::uint8_t {
    kLoseRequest,  // of a renewal
    kLoseReply,
    kDelete,   // somebody deletes the record
    kForward,  // the server's clock jumps
    kBack,
    kReset,      // the connection breaks, and what was under way is lost
    kHalfReset,  // the same, but what was under way may arrive
    kRestart,
    kNotifyAgain,    // a notification is delivered once more
    kClientForward,  // the clock of a client jumps
    kClientBack,
    kLockRow,          // a transaction of somebody else locks the record, and does not end
    kFailHook,         // of a renewal
    kCrashController,  // which starts again; the key is its number
};

[[nodiscard]] constexpr std::string_view name_of(Disturbance disturbance) {
    switch (disturbance) {
        case Disturbance::kLoseRequest: return "the renewal of @ is lost on its way";
        case Disturbance::kLoseReply: return "the answer to the renewal of @ is lost";
        case Disturbance::kDelete: return "somebody deletes the record";
        case Disturbance::kForward: return "the server's clock jumps forward";
        case Disturbance::kBack: return "the server's clock jumps back";
        case Disturbance::kReset: return "the connection of @ breaks, the service knows at once";
        case Disturbance::kHalfReset:
            return "the connection of @ breaks, the service does not know";
        case Disturbance::kRestart: return "the service restarts";
        case Disturbance::kNotifyAgain: return "a notification is delivered twice";
        case Disturbance::kClientForward: return "the clock of @ jumps forward";
        case Disturbance::kClientBack: return "the clock of @ jumps back";
        case Disturbance::kLockRow: return "another transaction looks at the record, FOR SHARE";
        case Disturbance::kFailHook: return "the hook of the renewal of @ fails";
        case Disturbance::kCrashController: return "a controller crashes, and starts again";
    }
    return "?";
}

// How often each may still happen in this run.
struct Budgets {
    using Fault = StepFault;
    std::uint8_t lost_requests;
    std::uint8_t lost_replies;
    std::uint8_t slow_commits;
    std::uint8_t small_tokens;
    std::uint8_t deletions;
    std::uint8_t clock_jumps;
    std::uint8_t resets;
    std::uint8_t restarts;  // of the service, or of a controller
    std::uint8_t late_requests;
    std::uint8_t client_clock_jumps;
    Copies copies;
    std::uint8_t row_locks;
    std::uint8_t hook_failures;

    // Spends one of any fault but kNone.
    void spend(StepFault fault) {
        if (fault == StepFault::kCopied) {
            copies.spend_duplicate();
        } else {
            --of(fault);
        }
    }

    [[nodiscard]] std::uint8_t& of(StepFault fault) {
        switch (fault) {
            case StepFault::kLostRequest: return lost_requests;
            case StepFault::kLostReply: return lost_replies;
            case StepFault::kSlowCommit: return slow_commits;
            case StepFault::kLateRequest: return late_requests;
            case StepFault::kSentAgain: return copies.halves;
            case StepFault::kHookFails: return hook_failures;
            case StepFault::kCopied:
            case StepFault::kSmallToken:
            case StepFault::kNone: break;
        }
        return small_tokens;
    }
    [[nodiscard]] std::uint32_t of_message() const {
        return fault_bit(StepFault::kLostRequest, lost_requests > 0) |
               fault_bit(StepFault::kLostReply, lost_replies > 0);
    }
    [[nodiscard]] std::uint32_t of_commit() const {
        return of_message() | fault_bit(StepFault::kSlowCommit, slow_commits > 0);
    }
    [[nodiscard]] std::uint32_t of_late_request() const {
        return fault_bit(StepFault::kLateRequest, late_requests > 0);
    }
    // For a request that was applied when it was sent first, and is not applied again.
    [[nodiscard]] std::uint32_t of_known_request() const {
        return fault_bit(StepFault::kLostRequest, lost_requests > 0);
    }
    [[nodiscard]] std::uint32_t of_sending_again() const {
        return fault_bit(StepFault::kSentAgain, copies.resends() > 0);
    }
    [[nodiscard]] std::uint32_t of_copy() const {
        return fault_bit(StepFault::kCopied, copies.duplicates() > 0);
    }
    [[nodiscard]] std::uint32_t of_hook() const {
        return fault_bit(StepFault::kHookFails, hook_failures > 0);
    }
    [[nodiscard]] std::uint32_t of_token() const {
        return fault_bit(StepFault::kSmallToken, small_tokens > 0);
    }
};

// A scenario's settings for one client.
struct Client {
    std::int32_t clock = 0;       // how far its clock is ahead of the true time
    std::int32_t drift = 0;       // so many thousandths its timers run late
    std::int32_t ttl = 0;         // 0: as the system says
    std::int32_t wait = -1;       // how long its acquires wait; -1: as the system says
    std::int32_t controller = 0;  // who asks and renews for it; 0: a process of its own
};

}  // namespace lockkeeper::leases
