// SPDX-License-Identifier: Apache-2.0

// The state of the transactional locks' servers: see transaction_server.hpp.
//
// A session is what the server has of one connection. A caller has one, and beside it the one that
// it has lost and the server has not noticed: that keeps its locks, and its place in a line.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "impl/transactional/transaction_words.hpp"
#include "model/implementation.hpp"

namespace lockkeeper::transactional {

// Ranks those that wait for the same as 1, 2 ... in the order in which they came. When one leaves,
// those behind move up; a newcomer's rank, larger than any, becomes the last. 0: nobody.

class Ranks {
  public:
    void add(std::uint8_t rank) { present_ |= rank == 0 ? 0U : bit(rank); }
    // Nothing to do, as after most steps: they are 1, 2 ... already.
    [[nodiscard]] bool in_order() const { return (present_ & (present_ + 1U)) == 0; }
    [[nodiscard]] std::uint8_t renumbered(std::uint8_t rank) const {
        return rank == 0
                   ? std::uint8_t{0}
                   : static_cast<std::uint8_t>(std::popcount(present_ & (bit(rank) - 1U)) + 1);
    }

  private:
    static constexpr unsigned kMost = 32;
    static std::uint32_t bit(std::uint8_t rank) {
        return 1U << (std::min<unsigned>(rank, kMost) - 1U);
    }

    std::uint32_t present_ = 0;  // bit n: rank n + 1
};

// For the parts of the servers that look at all records at once.

template <class AnyRecords, class Function>
void for_each(const AnyRecords& records, Function function) {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        function(caller, records[caller]);
    }
}

inline constexpr std::size_t kKeys = 3;
using KeySet = std::uint8_t;  // bit k: key k, or its line
using Stack = std::uint8_t;   // bit n: number n + 1 from below

enum class At : std::uint8_t {
    kNowhere,
    kEnter,
    kBegin,
    kLock,
    kWait,
    kGuard,
    kGiveUp,
    kLeave,
    kUnlock,
    kAck,
    kAsk,
    kRollBack,
    kOpen,
    kRead,
    kWrite,
    kEffect,
    kLook,
    kFail,
    kSavepoint,
    kRollBackTo,
    kReleaseSavepoint,
    kOpenNew,
    kCount,
    kDelete,
    kLieDown,
    kAsleep,
};

// Calls beside acquire and release.
enum class Word : std::uint8_t {
    kBegin,
    kCommit,
    kRollBack,
    kRead,
    kWrite,
    kEffect,
    kLook,
    kFail,
    kSavepoint,
    kRollBackTo,
    kReleaseSavepoint,
    kCleanUp,
    kBeginNew,
};

// kCommitted: at the server there is none any more, and the caller has not read the
// acknowledgement.
enum class Transaction : std::uint8_t { kNone, kOpen, kAborted, kCommitting, kCommitted };
// kGone: the server has ended it, the caller does not know. kAbandoned: the other way round.
enum class Connection : std::uint8_t { kFine, kGone, kAbandoned };
// InnoDB: a waiting insert that was woken because the row vanished, or that waits for a gap.
enum class Insert : std::uint8_t { kNot, kWoken, kWaits };

struct Shared {
    std::array<std::uint8_t, kKeys> versions;     // committed writes of each key
    std::array<std::uint8_t, kKeys> length;       // of the line, the owner included
    std::array<std::uint8_t, kKeys> gap_holders;  // InnoDB
    std::array<std::uint8_t, kKeys> vacated;      // a place left in this step; zero at its end
    KeySet published;                             // became visible in this step; zero at its end
    KeySet vanished;     // rows whose insert was undone in this step; zero at its end
    KeySet rows;         // InnoDB: rows that are there, or inserted and not committed
    KeySet uncommitted;  // InnoDB: of these, inserted and not committed
    KeySet hidden;       // planted: released, and not yet visible
    KeySet in_shared;    // PostgreSQL: lines whose owners hold them in shared mode
    Budgets left;        // last: Traits::faults_left
};

struct Session {
    std::array<std::uint8_t, kKeys> place;    // by line: 0: none, 1: granted, more: waits
    std::array<std::uint8_t, kKeys> level;    // of a granted lock: savepoints then, plus 1
    std::array<std::uint8_t, kKeys> written;  // 0: not, else its level, of the earliest write
    Transaction transaction;
    Error answer;  // what the server has said to a waiting statement
    std::uint8_t savepoints;
    Stack guards;              // of the savepoints, those that were set for a block
    Stack ended;               // of the savepoints, those whose block went back to it and ended
    std::uint8_t waits_for;    // line plus 1
    std::uint8_t rank;         // by arrival, among those who wait for the line; 255: new
    std::uint8_t overtaken;    // somebody who came later was granted before
    std::uint8_t granted_now;  // line plus 1: without a wait, in this step; zero at its end
    std::uint8_t fixed_view;   // the transaction is REPEATABLE READ
    std::uint8_t viewed;       // ... and its snapshot or read view is taken
    KeySet outdated;           // ... and these were changed since
    std::uint8_t outbox;       // 0: empty, else the level of its earliest row
    Insert insert;
    KeySet inserted;         // InnoDB: rows that it has inserted and not committed
    KeySet gaps;             // InnoDB: gaps that it has locked
    std::uint8_t engaged;    // InnoDB: savepoints when the engine first took part, plus 1
    std::uint8_t requested;  // InnoDB: began to wait in this step; zero at its end
    KeySet in_shared;        // PostgreSQL: lines that it has, or waits for, in shared mode
    Timer check;
    Timer timeout;
};

struct Record {
    Session session;
    Connection connection;
    Error failed;            // the first error that the caller got inside this transaction
    std::uint8_t failed_in;  // ... in so many blocks, where one of them is of its own; else 0
    std::uint8_t blocks;     // of the caller, one inside of the other
    Stack guarded;           // of the blocks, those with a savepoint of their own
    Stack unguarded;         // ... of these, those whose savepoint is gone
    Stack anew;              // ... of the guarded, those that require a transaction of their own
    std::uint8_t to_delete;  // clean-up: rows counted
    std::uint8_t deleted;    // clean-up: by itself
    std::uint8_t unopened;   // blocks of begin and begin_new that were refused, and not ended yet
    Timer wake;
    Session lost;  // its connection is gone, and the server has not noticed; all zero: none

    operator Session&() { return session; }              // NOLINT(google-explicit-constructor)
    operator const Session&() const { return session; }  // NOLINT(google-explicit-constructor)
};

struct Call {
    static constexpr std::uint8_t kLostLock = 1;      // release: the lock was not held any more
    static constexpr std::uint8_t kWrote = 2;         // there was something to commit
    static constexpr std::uint8_t kNotCommitted = 4;  // its COMMIT never arrived
    At at;
    Error error;           // to be returned after the roll-back
    std::uint8_t commits;  // bits: when its COMMIT arrived
    std::uint8_t cursor;   // clean-up: the next row
};

// True: the session holds something, or waits for it.
[[nodiscard]] bool is_there(const Session& session);

// All sessions: those of the callers, and after them, where any can be, those that they have lost.
class Sessions {
  public:
    Sessions(Records<Record> records, bool can_be_lost)
        : records_(records), size_(records.size() * (can_be_lost ? 2 : 1)) {}
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Session& operator[](std::size_t at) const {
        return at < records_.size() ? records_[at].session : records_[at - records_.size()].lost;
    }
    // The record of the caller whose blocks run in the session; null: the session is lost.
    [[nodiscard]] Record* record(std::size_t at) const {
        return at < records_.size() ? &records_[at] : nullptr;
    }

  private:
    Records<Record> records_;
    std::size_t size_;
};

}  // namespace lockkeeper::transactional
