// SPDX-License-Identifier: Apache-2.0

// The rules by which the servers of the transactional lock, and the pool of the baselines, decide,
// each with a name: a planted bug replaces one (planted_bugs.cpp). Source:
// docs/decisions/models/transactional_lock.md.
#pragma once

#include "impl/planted_bug.hpp"
#include "impl/transactional/pooled_lock.hpp"
#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

struct TransactionRules : Rules<TransactionServer> {
    // True: when the owner of a line has gone, `place` is served before `other`.
    [[nodiscard]] virtual bool is_before(std::uint8_t place, std::uint8_t other) const {
        return place < other;
    }
    // `left`: the place that was left; `is_next`: of all in line this one is to be served.
    [[nodiscard]] virtual bool is_granted(bool is_next, std::uint8_t /*left*/) const {
        return is_next;
    }
    // The two steps inside of COMMIT: the changes become visible, then the locks are free.
    virtual void begin_commit(const TransactionServer& server, Shared& shared,
                              Session& session) const {
        server.make_visible(shared, session);
    }
    virtual void end_commit(const TransactionServer& server, Shared& shared,
                            Session& session) const {
        server.end_transaction(shared, session);
    }
    virtual void roll_back(const TransactionServer& server, Shared& shared,
                           Session& session) const {
        server.end_transaction(shared, session);
    }
    virtual void roll_back_to_savepoint(const TransactionServer& server, Shared& shared,
                                        Record& record) const {
        server.roll_back_to_savepoint(shared, record);
    }
    [[nodiscard]] virtual bool looks_for_deadlocks() const { return true; }
    // InnoDB, of a deadlock of rows: the victim's transaction is rolled back.
    [[nodiscard]] virtual bool deadlock_ends_transaction() const { return true; }
    // InnoDB: a waiter's time-out frees all that its transaction holds.
    [[nodiscard]] virtual bool timeout_frees_all() const { return false; }
    // A time-out acts when it is due; if not, when somebody else releases or begins to wait.
    [[nodiscard]] virtual bool timeouts_are_punctual() const { return true; }
    // InnoDB, as far as locks go: a row that was deleted under somebody's lock, or in front of a
    // line, is there. Whoever is granted makes it anew.
    [[nodiscard]] virtual bool row_is_there(bool is_stored, std::uint8_t in_line) const {
        return is_stored || in_line > 0;
    }
    // Invariant 1 of transaction_server.hpp: whoever owns a line owns it alone.
    [[nodiscard]] virtual bool lines_have_one_owner() const { return true; }
};

struct PooledRules : Rules<PooledLock> {
    using Session = PooledLock::Session;

    [[nodiscard]] virtual bool is_free(const Session& connection) const {
        return connection.in_use == 0;
    }
    // A try; `is_free`: nobody has the lock.
    [[nodiscard]] virtual bool grants_try(bool is_free) const { return is_free; }
    // The new place of a session behind `left`, when the one there has left; `last`: the line's.
    [[nodiscard]] virtual std::uint8_t moved_up(std::uint8_t place, std::uint8_t /*left*/,
                                                std::uint8_t /*last*/) const {
        return static_cast<std::uint8_t>(place - 1);
    }
    // The connection comes back; `resets`: with all that the session holds.
    virtual void put_back(const PooledLock& lock, Shared& shared, Session& session,
                          bool resets) const {
        lock.reset(shared, session, resets);
    }
    // The same, of one that its caller has taken beside its own.
    virtual void put_back_other(const PooledLock& lock, Shared& shared, Session& session,
                                bool resets) const {
        lock.reset(shared, session, resets);
    }
};

}  // namespace lockkeeper::transactional
