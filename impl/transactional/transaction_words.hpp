// SPDX-License-Identifier: Apache-2.0

// The two database servers of the transactional locks share these: errors, faults, timers, and a
// scenario's settings for a caller. Source: docs/decisions/models/transactional_lock.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/message_fates.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper::transactional {

enum class Error : std::uint8_t {
    kNone,
    kDeadlock,              // this transaction is the victim
    kLockTimeout,           // waited too long
    kStatementFailed,       // an ordinary statement of the block
    kInFailedTransaction,   // PostgreSQL: an error before it has aborted the transaction
    kSerializationFailure,  // PostgreSQL: the row was changed after the snapshot
    kConnectionLost,        // after a COMMIT: whether it happened is not known
    kRolledBack,            // repairs: a COMMIT that the server answered with a roll-back
    kSnapshotTaken,         // repairs: refused, because what it would read is older than the lock
    kNotAvailable,          // PostgreSQL: a try that was not granted
    kQueryKilled,           // repairs: GET_LOCK was ended by KILL QUERY, and answered NULL
};

[[nodiscard]] constexpr std::string_view name_of(Error error) {
    switch (error) {
        case Error::kNone: return "ok";
        case Error::kDeadlock: return "Deadlock";
        case Error::kLockTimeout: return "LockTimeout";
        case Error::kStatementFailed: return "StatementFailed";
        case Error::kInFailedTransaction: return "InFailedTransaction";
        case Error::kSerializationFailure: return "SerializationFailure";
        case Error::kConnectionLost: return "ConnectionLost";
        case Error::kRolledBack: return "RolledBack";
        case Error::kSnapshotTaken: return "SnapshotTaken";
        case Error::kNotAvailable: return "NotAvailable";
        case Error::kQueryKilled: return "QueryKilled";
    }
    return "?";
}

// The faults of one statement.
enum class StatementFault : std::uint8_t {
    kNone,
    kFails,        // an ordinary statement fails: a constraint, a syntax error
    kAckLost,      // the COMMIT is done, and its acknowledgement never arrives
    kRequestLost,  // the connection is lost before the statement gets to the server
    kAnswerLost,   // ... after it, before the answer gets to the caller
};

// The faults that can happen at any time. kCrash: one for all callers; kLose: while a statement
// waits; kKillQuery: while it waits for a user lock.
enum class Disturbance : std::uint8_t { kKill, kCrash, kLose, kKillQuery };

// The server's own actions: arguments of background actions.
enum Background : std::uint16_t {
    kLooksForDeadlock,
    kTimesOut,
    kNoticed,
    // The same of the session that a living caller has lost, and its statement that goes on.
    kLostLooks,
    kLostTimesOut,
    kLostGoesOn,
    kLostNoticed,
    kDeadGoesOn,  // InnoDB: a dead caller's insert that was woken
};

// How often each may still happen in this run.
struct Budgets {
    std::uint8_t statement_errors;
    std::uint8_t acks_lost;
    std::uint8_t kills;
    std::uint8_t server_crashes;
    std::uint8_t requests_lost;
    std::uint8_t answers_lost;
    std::uint8_t query_kills;
};

// Time until something happens. States hold what is left, not an instant: then the same situation
// a second later is the same state. Started and never stopped, it becomes due and stays so.
struct Timer {
    std::uint16_t left_plus_one;  // 0: not running

    [[nodiscard]] bool running() const { return left_plus_one != 0; }
    [[nodiscard]] bool due() const { return left_plus_one == 1; }
    [[nodiscard]] std::int32_t left() const { return left_plus_one - 1; }
    void start(std::int32_t units) { left_plus_one = static_cast<std::uint16_t>(units + 1); }
    void pass(std::int32_t units) {
        if (left() > 0) {
            left_plus_one = static_cast<std::uint16_t>(left_plus_one - units);
        }
    }
    void stop() { left_plus_one = 0; }
};

// A scenario's settings for one caller.
struct Client {
    bool repeatable_read = false;
    bool rescues = false;           // its block goes on after an error, and ends normally
    std::int32_t lock_timeout = 0;  // 0: as the server says
    bool reconnects = false;        // inside of a block, too: it goes on in no transaction
    bool restarts = false;  // after a deadlock it sends no ROLLBACK: the server has, it thinks
    bool tries = false;     // PostgreSQL: its lock statement does not wait
};

// A scenario's settings for one key.
struct KeyNumbers {
    std::int32_t name = 0;      // keys with one name are meant to exclude each other
    std::int32_t id = 0;        // what the name is hashed to
    std::int32_t database = 0;  // each has its own ids
};

}  // namespace lockkeeper::transactional
