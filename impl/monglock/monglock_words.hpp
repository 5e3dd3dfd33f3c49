// SPDX-License-Identifier: Apache-2.0

// Both locks of monglock share these: their errors by the exact names of the published package
// (2.0.0), the HTTP-like codes that its boom option gives them, and the faults of the database.
// Source: docs/decisions/models/monglock.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/message_fates.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper::monglock {

enum class Error : std::uint8_t {
    kNone,
    kLockAlreadyTaken,
    kLockWasReacquired,
    kCooperativeLock,
    kAssertiveLock,
    kLockNotFound,
    kRessourceNotFound,  // spelled so
    kDbError,
    kTypeError,  // the library's own: of a tag that the configuration does not know
};

[[nodiscard]] constexpr std::string_view name_of(Error error) {
    switch (error) {
        case Error::kNone: return "ok";
        case Error::kLockAlreadyTaken: return "LockAlreadyTaken";
        case Error::kLockWasReacquired: return "LockWasReacquired";
        case Error::kCooperativeLock: return "CooperativeLock";
        case Error::kAssertiveLock: return "AssertiveLock";
        case Error::kLockNotFound: return "LockNotFound";
        case Error::kRessourceNotFound: return "RessourceNotFound";
        case Error::kDbError: return "DbError";
        case Error::kTypeError: return "TypeError";
    }
    return "?";
}

// The word that the caller is told beside the name: the error's type, or, where the boom option
// wraps the error, its status code. The library wraps no TypeError.
[[nodiscard]] constexpr std::string_view kind_of(Error error, bool boom) {
    switch (error) {
        case Error::kNone:
        case Error::kTypeError: return "";
        case Error::kRessourceNotFound: return boom ? "404" : "notFound";
        case Error::kDbError: return boom ? "500" : "badImplementation";
        case Error::kLockAlreadyTaken:
        case Error::kLockWasReacquired:
        case Error::kCooperativeLock:
        case Error::kAssertiveLock:
        case Error::kLockNotFound: return boom ? "409" : "conflict";
    }
    return "?";
}

// The faults of one database operation.
enum class OperationFault : std::uint8_t {
    kNone,
    kNotApplied,  // an update fails, and has changed nothing
    kAckLost,     // an update is reported as failed, and has been applied
    kReadFails,
    kReadLags,      // a replica answers that has not seen the newest write, or the deletion
    kReadLagsMore,  // ... nor the write before it
    kSentAgain,     // an update is applied, its answer is lost, and the driver sends it again
    kCopied,        // an update is delivered twice: a copy is under way when the first is answered
    kLate,          // an update is reported as failed, and is under way still
};

[[nodiscard]] constexpr std::string_view name_of(OperationFault fault) {
    switch (fault) {
        case OperationFault::kNone: return "";
        case OperationFault::kNotApplied: return "fails, not applied";
        case OperationFault::kAckLost: return "reported as failed, but applied";
        case OperationFault::kReadFails: return "read fails";
        case OperationFault::kReadLags: return "served by a lagging replica";
        case OperationFault::kReadLagsMore: return "served by a replica two writes behind";
        case OperationFault::kSentAgain: return "applied, the answer is lost; it is sent again";
        case OperationFault::kCopied: return "delivered twice, the copy comes later";
        case OperationFault::kLate: return "reported as failed, and comes later";
    }
    return "?";
}

// The faults of the document and of the clocks, at any time.
enum class Disturbance : std::uint8_t {
    kDelete,    // the document is deleted
    kForget,    // fail-over with w:1: the newest write to the lock is forgotten
    kSaveBack,  // the application saves the whole document back, with the lock as it read it
    kForward,   // a client's clock jumps forward
    kBack,      // ... or back
    kArrives,   // what was delivered twice, or reported as failed, comes to the store
};

[[nodiscard]] constexpr std::string_view name_of(Disturbance disturbance) {
    switch (disturbance) {
        case Disturbance::kDelete: return "the document is deleted";
        case Disturbance::kForget: return "a fail-over forgets the newest write to the lock";
        case Disturbance::kSaveBack: return "the application saves an old document back";
        case Disturbance::kForward: return "the clock of @ jumps forward";
        case Disturbance::kBack: return "the clock of @ jumps back";
        case Disturbance::kArrives: return "an update that nobody waits for arrives";
    }
    return "?";
}

// How often each may still happen in this run.
struct Budgets {
    using Fault = OperationFault;
    std::uint8_t not_applied;
    std::uint8_t ack_lost;
    std::uint8_t read_fails;
    std::uint8_t read_lags;
    std::uint8_t deletions;
    std::uint8_t failovers;
    std::uint8_t save_backs;
    std::uint8_t clock_jumps;
    std::uint8_t late_requests;
    Copies copies;

    // Spends one of any fault but kNone.
    void spend(OperationFault fault) {
        if (fault == OperationFault::kCopied) {
            copies.spend_duplicate();
        } else {
            --of(fault);
        }
    }
    [[nodiscard]] std::uint32_t faults_of_update() const {
        return fault_bit(OperationFault::kNotApplied, not_applied > 0) |
               fault_bit(OperationFault::kAckLost, ack_lost > 0);
    }
    // For a request that may come once more. `may_travel`: there is room for one that is under way.
    [[nodiscard]] std::uint32_t faults_of_request(bool may_travel) const {
        return faults_of_update() | fault_bit(OperationFault::kSentAgain, copies.resends() > 0) |
               fault_bit(OperationFault::kCopied, may_travel && copies.duplicates() > 0) |
               fault_bit(OperationFault::kLate, may_travel && late_requests > 0);
    }
    [[nodiscard]] std::uint32_t faults_of_read(bool could_lag, bool could_lag_more = false) const {
        return fault_bit(OperationFault::kReadFails, read_fails > 0) |
               fault_bit(OperationFault::kReadLags, could_lag && read_lags > 0) |
               fault_bit(OperationFault::kReadLagsMore, could_lag_more && read_lags > 0);
    }

  private:
    [[nodiscard]] std::uint8_t& of(OperationFault fault) {
        switch (fault) {
            case OperationFault::kNotApplied: return not_applied;
            case OperationFault::kAckLost: return ack_lost;
            case OperationFault::kReadFails: return read_fails;
            case OperationFault::kSentAgain: return copies.halves;
            case OperationFault::kLate: return late_requests;
            case OperationFault::kReadLags:
            case OperationFault::kReadLagsMore:
            case OperationFault::kCopied:
            case OperationFault::kNone: break;
        }
        return read_lags;
    }
};

// An update that is under way although its client does not wait for it (any more), or what it has
// brought. It names no client: `like`, the first one that has the same periods (multi lock), or the
// number of its period (write lock).
struct Stray {
    static constexpr std::size_t kPeriodsMax = 8;

    enum class What : std::uint8_t {
        kNone,
        kTake,
        kRelease,
        kReleaseAny,
        kHasCome,      // what it has locked stands
        kReleased,     // a release came before its client has asked again: the answer to that
        kNotReleased,  // likewise
    };

    Instant timestamp;
    Instant judged_by;  // multi lock: what others' entries are compared with; else 0
    std::uint8_t id;
    std::uint8_t packed;

    static Stray of(What what, std::size_t key, std::size_t like, Instant timestamp,
                    std::uint8_t id, Instant judged_by = 0) {
        return {timestamp, judged_by, id,
                static_cast<std::uint8_t>(static_cast<std::size_t>(what) | key << 3U | like << 5U)};
    }
    [[nodiscard]] What what() const { return static_cast<What>(packed & 7U); }
    [[nodiscard]] std::size_t key() const { return packed >> 3U & 3U; }
    [[nodiscard]] std::size_t like() const { return packed >> 5U; }
    [[nodiscard]] bool is_none() const { return what() == What::kNone; }
    [[nodiscard]] bool is_release() const {
        return what() == What::kRelease || what() == What::kReleaseAny;
    }
    [[nodiscard]] bool is_answer() const {
        return what() == What::kReleased || what() == What::kNotReleased;
    }
    [[nodiscard]] bool is_under_way() const { return what() == What::kTake || is_release(); }
};

// A scenario's settings for one client.
struct Client {
    std::int32_t clock = 0;                     // how far its clock is ahead
    std::int32_t lock_timeout = 0;              // 0: as the lock says
    std::vector<std::int32_t> lock_timeouts{};  // multi lock, by tag; none or 0: as lock_timeout
    std::int32_t drift = 0;                     // so many thousandths its clock runs fast
    std::vector<std::int32_t> call_timeouts{};  // write lock: those that single acquires give
    std::int32_t timeout = 0;                   // of its database operations; 0: as the lock says
};

}  // namespace lockkeeper::monglock
