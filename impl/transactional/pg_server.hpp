// SPDX-License-Identifier: Apache-2.0

// PostgreSQL: pg_advisory_xact_lock. Source: docs/decisions/models/transactional_lock.md,
// "PostgreSQL server model". What it does its own way:
//
//   An owner's further request is granted at once. A grant has the savepoint level that took it:
//   rolling back to a savepoint frees what was taken after it, releasing one moves it up.
//   An error aborts the transaction, inside a savepoint only that one, and frees AT ONCE what was
//   taken in it. Later statements fail; COMMIT is answered by ROLLBACK.
//   SAVEPOINT outside of a transaction is an error, and one that is not there aborts like any.
//   A waiter looks for a deadlock once, a second after its wait began; the first whose look finds
//   a cycle with itself in it is the victim.
//   REPEATABLE READ: the snapshot is taken by the first statement, before its wait.
//
// Repaired, each a switch:
//   guard_savepoint    each block runs in a savepoint of its own, behind its lock; an inner block
//                      that ends by an error goes back to it, whatever the block has set since
//   read_committed     a lock never waits under a snapshot: BEGIN READ COMMITTED, and an outer
//                      transaction that is REPEATABLE READ is refused
//   checked_end        a COMMIT that was answered by ROLLBACK is an error
//   outbox             effects are rows of the transaction, made real by its COMMIT
//   ask_outcome        after a lost acknowledgement the caller asks what became of its COMMIT
//   fixed_byte_order   the first 8 bytes of the hash are read most significant first, on any host
#pragma once

#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

inline constexpr std::uint16_t kAllPgRepairs =
    kGuardSavepoint | kReadCommitted | kCheckedEnd | kOutbox | kAskOutcome | kFixedByteOrder;

class PgServer final : public TransactionServer {
  public:
    static constexpr ShownNames kShownNames{.servers = "database",
                                            .steps = "impl/transactional/transaction_server.cpp",
                                            .page = "docs/findings/transactional_pg.md"};
    using TransactionServer::TransactionServer;

  protected:
    Outcome request(Shared& shared, Record& record, Call& call, std::size_t line,
                    Event& event) const override;
    bool may_lock(Record& record, std::size_t caller) const override;
    void statement_failed(Shared& shared, Session& session) const override;
    void roll_back_to_savepoint(Shared& shared, Record& record) const override;
    [[nodiscard]] bool savepoint_needs_transaction() const override { return true; }
    void refuse_waiter(Shared& shared, Session& session, Error error) const override;
    [[nodiscard]] Error why_not(const Record& record) const override;
    [[nodiscard]] bool takes_view(At at) const override;
    [[nodiscard]] bool row_conflict(const Record& record, std::size_t key) const override;

  private:
    void free_level(Shared& shared, Session& session) const;
};

static_assert(Implementation<PgServer>);

}  // namespace lockkeeper::transactional
