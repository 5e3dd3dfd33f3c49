// SPDX-License-Identifier: Apache-2.0

// MySQL/InnoDB: a table of lock ids with a unique index, INSERT ... ON DUPLICATE KEY UPDATE.
// Source: docs/decisions/models/transactional_lock.md, "MySQL/InnoDB server model". What it does
// its own way:
//
//   Row there: an exclusive row lock, first come first served, or, by_weight, whoever blocks most
//   others (MySQL 8.0.20 and later).
//   Row absent: the insert makes it; others wait for it. The owner commits: it stays, and the next
//   waiter takes its lock. The owner rolls back: it vanishes, the waiters inherit the gap, and
//   each inserts anew, for which nobody else may hold the gap.
//   Deadlocks are found at once; the victim, here whoever closed the cycle, is rolled back whole:
//   no transaction is open then, and each further statement is one of its own.
//   A lock that was waited for too long: only the statement fails.
//   A failed ordinary statement keeps the locks. ROLLBACK TO SAVEPOINT frees a row that it takes
//   away, and keeps the lock of one that was there, if the engine took part before the savepoint;
//   if not, the engine rolls back all it has: its gaps are free and its read view is closed.
//   SAVEPOINT outside of a transaction is done and keeps nothing; to go to one that is not there is
//   an error.
//   The read view is taken by the first consistent read, not by the lock statement.
//
// A key can be a user lock instead of a row: GET_LOCK inside of the transaction, as seen on MariaDB
// 10.11.19. Such a lock is the session's: COMMIT and ROLLBACK leave it, the caller frees its user
// locks after either. What it does its own way:
//
//   A deadlock of user locks is told at once (1213), and the victim's transaction stays open, with
//   its row locks: COMMIT, and the BEGIN of the next try, make its first half real.
//   KILL QUERY: the waiting GET_LOCK answers NULL, which is no error, and the statement goes on.
//   Nobody looks for a cycle of user locks and rows: one of the waits has to time out.
//
// Repaired, each a switch:
//   row_first        the row is inserted and committed, on a connection of its own, and then locked
//   locking_reads    reads under the lock see what is committed, whatever the read view
//   checked_end      a caller whose transaction is gone gets an error instead of going on
//   outbox           effects are rows of the transaction, made real by its COMMIT
//   counts_again     the clean-up ends when nothing is left to delete
//   inner_savepoint  a block inside of a transaction has a savepoint behind its lock; its end says
//                    so when that is missing, because the transaction went back to before the block
//   ask_outcome      after a lost acknowledgement the caller looks for a row of the transaction
//   fixed_byte_order the first 8 bytes of the hash are read most significant first, on any host
//   checked_lock     NULL is no grant: the caller gets an error
//   rolls_back       a caller that restarts after a deadlock sends ROLLBACK first
#pragma once

#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

inline constexpr std::uint16_t kAllInnodbRepairs =
    kRowFirst | kLockingReads | kCheckedEnd | kOutbox | kAskOutcome | kCountsAgain |
    kFixedByteOrder | kInnerSavepoint | kCheckedLock | kRollsBack;

class InnodbServer final : public TransactionServer {
  public:
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/transactional/transaction_server.cpp",
                                            .page = "docs/findings/transactional_innodb.md"};
    using TransactionServer::TransactionServer;

  protected:
    Outcome prepare(Shared& shared, Record& record, Call& call, const Operation& operation,
                    Event& event) const override;
    Outcome request(Shared& shared, Record& record, Call& call, std::size_t line,
                    Event& event) const override;
    bool take(Shared& shared, Session& session, std::size_t line) const override;
    bool may_lock(Record&, std::size_t) const override { return true; }
    void statement_failed(Shared&, Session&) const override {}
    void roll_back_to_savepoint(Shared& shared, Record& record) const override;
    [[nodiscard]] bool savepoint_needs_transaction() const override { return false; }
    void refuse_waiter(Shared& shared, Session& session, Error error) const override;
    bool resolve_deadlock(Shared& shared, const Sessions& sessions) const override;
    [[nodiscard]] Error why_not(const Record& record) const override;
    [[nodiscard]] bool takes_view(At at) const override;
    [[nodiscard]] bool keeps_view_fresh() const override { return repairs(kLockingReads); }
    [[nodiscard]] bool row_conflict(const Record&, std::size_t) const override { return false; }
    [[nodiscard]] std::size_t next_of(const Sessions& sessions, std::size_t line) const override;
    void engage(Record& record) const override;
    [[nodiscard]] bool shows_rows() const override { return true; }

  private:
    [[nodiscard]] static std::size_t weight_of(const Sessions& sessions, std::size_t caller);
};

static_assert(Implementation<InnodbServer>);

}  // namespace lockkeeper::transactional
