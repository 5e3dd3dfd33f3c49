// SPDX-License-Identifier: Apache-2.0

// How blocks and transactions end: TransactionServer's part about release and roll-back.
#include <bit>

#include "impl/transactional/transaction_rules.hpp"

namespace lockkeeper::transactional {

Outcome TransactionServer::leave(Shared& shared, Record& record, Call& call,
                                 const Operation& operation, Event& event) const {
    if (record.blocks == 0) {
        return ended(operation, false, event);  // unchecked: no block, nothing is sent
    }
    if (record.blocks > 1) {
        return leave_inner(shared, record, operation, event);
    }
    if (record.failed != Error::kNone && !options_.clients[event.caller].rescues) {
        const Error error = record.failed;
        end_by_error(shared, record, event.caller);
        return refuse(error, event);
    }
    return commit(shared, record, call, operation, event);
}

// No statement is sent, unless the block has a savepoint of its own or its end is checked. That
// statement also finds out that the connection is gone.
Outcome TransactionServer::leave_inner(Shared& shared, Record& record, const Operation& operation,
                                       Event& event) const {
    const bool locks = operation.verb == Verb::kRelease;
    const bool guarded = in_guarded_block(record) && record.connection == Connection::kFine;
    const bool lost = locks && !holds(shared, record, operation.key);
    const Error raised = options_.clients[event.caller].rescues ? Error::kNone : record.failed;
    const bool aborted = guarded && record.session.transaction == Transaction::kAborted;
    const bool anew = in_block_anew(record);
    const bool by_error = aborted || (anew && raised != Error::kNone);
    const bool was_there = !guarded || end_guard(shared, record, by_error);
    if (guarded && anew && by_error && was_there) {
        leave_rolled_back(record);
    } else {
        leave_block(record);
    }
    if (raised != Error::kNone || aborted || !was_there) {
        return refuse(raised != Error::kNone ? raised : Error::kRolledBack, event);
    }
    if (locks && asks_at_inner_end() && record.connection == Connection::kGone) {
        reconnect_in_block(record, event.caller);
        return refuse(Error::kConnectionLost, event);
    }
    return ended(operation, lost, event);
}

bool TransactionServer::end_guard(Shared& shared, Record& record, bool by_error) const {
    if ((record.unguarded >> (record.blocks - 1U) & 1U) != 0) {
        statement_failed(shared, record);
        if (record.failed == Error::kNone && record.session.transaction == Transaction::kOpen) {
            note_failure(record, Error::kRolledBack);  // the outer block ends by it
        }
        return false;
    }
    // Whatever was set for blocks inside of this one has ended with them.
    const auto guard = static_cast<std::uint8_t>(std::bit_width(record.session.guards));
    if (by_error) {
        go_back_to(shared, record, guard);
    }
    if (by_error && in_block_anew(record)) {
        // The savepoint stays, as ActiveRecord leaves it.
        record.session.guards = static_cast<Stack>(record.session.guards & ~(1U << (guard - 1U)));
        record.session.ended = static_cast<Stack>(record.session.ended | 1U << (guard - 1U));
        return true;
    }
    release_savepoint(record, guard);
    return true;
}

// A block with a transaction of its own is rolled back: what failed in it was that block, and
// whoever handles the error outside of it goes on in the outer one.
void TransactionServer::leave_rolled_back(Record& record) {
    if (record.failed_in >= record.blocks) {
        record.failed = Error::kNone;
        record.failed_in = 0;
    }
    leave_block(record);
}

void TransactionServer::leave_block(Record& record) {
    --record.blocks;
    record.guarded = static_cast<Stack>(record.guarded & ((1U << record.blocks) - 1U));
    record.unguarded = static_cast<Stack>(record.unguarded & record.guarded);
    record.anew = static_cast<Stack>(record.anew & record.guarded);
}

Outcome TransactionServer::commit(Shared& shared, Record& record, Call& call,
                                  const Operation& operation, Event& event) const {
    if (record.connection == Connection::kGone) {
        leave_outermost(shared, record);
        return refuse(Error::kConnectionLost, event);
    }
    if (record.session.transaction != Transaction::kOpen) {
        return commit_of_nothing(shared, record, operation, event);
    }
    const bool locks = operation.verb == Verb::kRelease;
    const bool lost = locks && !holds(shared, record, operation.key);
    const bool wrote = written_by(record) != 0 || record.session.outbox != 0;
    call.commits =
        static_cast<std::uint8_t>((lost ? Call::kLostLock : 0) | (wrote ? Call::kWrote : 0));
    rules().begin_commit(*this, shared, record);
    if (record.session.outbox != 0) {
        event.what |= kEffect;  // now it is real, and the lock is held still
        record.session.outbox = 0;
    }
    record.session.transaction = Transaction::kCommitting;
    call.at = At::kUnlock;
    return Outcome::kContinues;
}

// PostgreSQL answers ROLLBACK to it, and InnoDB, which has rolled back long ago, OK. Neither is an
// error to who does not look.
Outcome TransactionServer::commit_of_nothing(Shared& shared, Record& record,
                                             const Operation& operation, Event& event) const {
    const bool lost = operation.verb == Verb::kRelease && !holds(shared, record, operation.key);
    const bool was_aborted = record.session.transaction == Transaction::kAborted;
    roll_back(shared, record);
    leave_outermost(shared, record);
    // In no transaction PostgreSQL answers COMMIT to it: who looks only at that sees nothing.
    const bool says_so = shows_rows() || was_aborted;
    if ((repairs(kCheckedEnd) && says_so) || repairs(kGuardSavepoint)) {
        return refuse(Error::kRolledBack, event);
    }
    return ended(operation, lost, event);
}

Outcome TransactionServer::unlock(Shared& shared, Record& record, Call& call) const {
    rules().end_commit(*this, shared, record);
    record.unguarded = record.guarded;
    record.session.transaction = Transaction::kCommitted;
    call.at = At::kAck;
    return Outcome::kContinues;
}

Outcome TransactionServer::acknowledge(Shared& shared, Record& record, Call& call,
                                       const Operation& operation, Event& event) const {
    const auto fault = static_cast<StatementFault>(operation.fault);
    const bool lost = fault != StatementFault::kNone;
    if (lost) {
        --(fault == StatementFault::kAckLost ? shared.left.acks_lost : shared.left.answers_lost);
        if (repairs(kAskOutcome)) {
            call.at = At::kAsk;
            return Outcome::kContinues;
        }
    }
    leave_outermost(shared, record);
    if (lost || (call.commits & Call::kNotCommitted) != 0) {
        event.note(Breach::kFalseError, (call.commits & Call::kWrote) != 0);
        return refuse(Error::kConnectionLost, event);
    }
    return ended(operation, (call.commits & Call::kLostLock) != 0, event);
}

Outcome TransactionServer::roll_back_block(Shared& shared, Record& record, Event& event) const {
    if (record.blocks > 1) {
        const bool guarded = in_guarded_block(record) && record.connection == Connection::kFine;
        const bool anew = in_block_anew(record);
        const bool was_there = !guarded || end_guard(shared, record, true);
        if (guarded && anew && was_there) {
            leave_rolled_back(record);
        } else {
            leave_block(record);
        }
        return was_there ? Outcome::kDone : refuse(Error::kRolledBack, event);
    }
    end_by_error(shared, record, event.caller);
    return Outcome::kDone;
}

void TransactionServer::end_by_error(Shared& shared, Record& record, std::size_t caller) const {
    const bool takes_it_for_gone = record.failed == Error::kDeadlock &&
                                   options_.clients[caller].restarts && !repairs(kRollsBack);
    if (!takes_it_for_gone) {
        roll_back(shared, record);
    }
    const Transaction left = record.session.transaction;
    leave_outermost(shared, record);
    record.session.transaction = left;
}

// User locks end by a statement of their own, after COMMIT or ROLLBACK: RELEASE_ALL_LOCKS.
void TransactionServer::leave_outermost(Shared& shared, Record& record) const {
    free_user_locks(shared, record.session);
    leave_outermost(record);
}

// The caller is in no block any more; a lost connection is replaced by the next one.
void TransactionServer::leave_outermost(Record& record) {
    record.blocks = 0;
    record.guarded = record.unguarded = record.anew = 0;
    record.failed = Error::kNone;
    record.failed_in = 0;
    record.unopened = 0;
    record.session.transaction = Transaction::kNone;
    record.connection = Connection::kFine;
}

}  // namespace lockkeeper::transactional
