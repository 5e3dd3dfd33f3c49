// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/transaction_server.hpp"

#include <utility>

#include "impl/transactional/transaction_rules.hpp"
#include "model/check.hpp"

namespace lockkeeper::transactional {

const TransactionRules kSoundTransactionRules;

TransactionServer::TransactionServer(ServerOptions options) : options_(std::move(options)) {
    LOCKKEEPER_CHECK(options_.numbers.size() == options_.keys.size());
    for (std::size_t key = 0; key < keys_count(); ++key) {
        lines_[key] = key;
        for (std::size_t other = key; other-- > 0;) {
            const KeyNumbers& one = options_.numbers[key];
            const KeyNumbers& two = options_.numbers[other];
            const bool same_id =
                one.id == two.id || (repairs(kFixedByteOrder) && one.name == two.name);
            const bool same_kind = is_user_lock(key) == is_user_lock(other);
            const bool same = same_id && same_kind && one.database == two.database;
            lines_[key] = same ? other : lines_[key];
        }
    }
}

TransactionServer::Shared TransactionServer::initial_shared() const {
    Shared shared{};
    shared.left = options_.faults;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const bool there = (options_.rows >> key & 1U) != 0;
        shared.rows = static_cast<KeySet>(shared.rows | (there ? bit(line_of(key)) : 0));
    }
    return shared;
}

void TransactionServer::begin(const Operation& operation, Call& call) const {
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kEnter; return;
        case Verb::kRelease: call.at = At::kLeave; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<Word>(operation.word)) {
        case Word::kBegin: call.at = At::kOpen; return;
        case Word::kCommit: call.at = At::kLeave; return;
        case Word::kRollBack: call.at = At::kRollBack; return;
        case Word::kRead: call.at = At::kRead; return;
        case Word::kWrite: call.at = At::kWrite; return;
        case Word::kEffect: call.at = At::kEffect; return;
        case Word::kLook: call.at = At::kLook; return;
        case Word::kFail: call.at = At::kFail; return;
        case Word::kSavepoint: call.at = At::kSavepoint; return;
        case Word::kRollBackTo: call.at = At::kRollBackTo; return;
        case Word::kReleaseSavepoint: call.at = At::kReleaseSavepoint; return;
        case Word::kCleanUp: call.at = At::kCount; return;
        case Word::kBeginNew: call.at = At::kOpenNew; return;
    }
    unreachable("a call of the transactional locks");
}

bool TransactionServer::blocked(const Shared& shared, const Record& record,
                                const Call& call) const {
    if (call.at == At::kAsleep) {
        return !record.wake.due();
    }
    if (call.at != At::kWait || record.session.answer != Error::kNone) {
        return false;
    }
    return waits_on_somebody(shared, record);
}

bool TransactionServer::waits_on_somebody(const Shared& shared, const Session& session) const {
    const std::size_t line = session.waits_for - 1U;
    switch (session.insert) {
        case Insert::kWoken: return false;
        case Insert::kWaits: return !can_insert(shared, session, line);
        case Insert::kNot: break;
    }
    return session.place[line] != 1;
}

std::uint32_t TransactionServer::faults_of(const Shared& shared, const Record& record,
                                           const Call& call, const Operation& operation) const {
    if (passes_over(record, operation)) {
        return 0;
    }
    const bool reaches = why_not(record) == Error::kNone && record.connection == Connection::kFine;
    const std::uint32_t losses = losses_of(shared, record, call, operation);
    switch (call.at) {
        case At::kRead:
        case At::kWrite:
            return losses |
                   fault_bit(StatementFault::kFails, reaches && shared.left.statement_errors > 0);
        case At::kAck:
            return losses | fault_bit(StatementFault::kAckLost, shared.left.acks_lost > 0);
        default: return losses;
    }
}

Outcome TransactionServer::step(Shared& shared, Record& record, Call& call,
                                const Operation& operation, Event& event) const {
    if (passes_over(record, operation)) {
        return pass_over(record, call, operation, event);
    }
    const auto fault = static_cast<StatementFault>(operation.fault);
    const bool loses =
        fault == StatementFault::kRequestLost || fault == StatementFault::kAnswerLost;
    return loses && call.at != At::kAck
               ? lose(shared, record, call, operation, event)
               : rules().step(*this, shared, record, call, operation, event);
}

Outcome TransactionServer::sound_step(Shared& shared, Record& record, Call& call,
                                      const Operation& operation, Event& event) const {
    switch (call.at) {
        case At::kEnter: return prepare(shared, record, call, operation, event);
        case At::kBegin: return begin_or_lock(shared, record, call, operation, event);
        case At::kLock: return lock(shared, record, call, operation, event);
        case At::kWait: return wait_ended(shared, record, call, operation, event);
        case At::kGiveUp: return give_up(shared, record, call, event);
        case At::kLeave: return leave(shared, record, call, operation, event);
        case At::kUnlock: return unlock(shared, record, call);
        case At::kAck:
        case At::kAsk: return acknowledge(shared, record, call, operation, event);
        case At::kRollBack: return roll_back_block(shared, record, event);
        case At::kCount: return count_rows(shared, record, call);
        case At::kDelete: return delete_rows(shared, record, call, event);
        case At::kLieDown:
            record.wake.start(operation.time());
            call.at = At::kAsleep;
            return Outcome::kContinues;
        case At::kAsleep: record.wake.stop(); return Outcome::kDone;
        case At::kGuard:
        case At::kOpenNew:
        case At::kOpen:
        case At::kRead:
        case At::kWrite:
        case At::kEffect:
        case At::kLook:
        case At::kFail:
        case At::kSavepoint:
        case At::kRollBackTo:
        case At::kReleaseSavepoint: return statement(shared, record, call, operation, event);
        case At::kNowhere: break;
    }
    unreachable("a label of the transactional locks");
}

// --- acquire -------------------------------------------------------------------------------

Outcome TransactionServer::prepare(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    return begin_or_lock(shared, record, call, operation, event);
}

Outcome TransactionServer::begin_or_lock(Shared& shared, Record& record, Call& call,
                                         const Operation& operation, Event& event) const {
    if (record.blocks > 0) {
        return lock(shared, record, call, operation, event);
    }
    begin_transaction(shared, record, event);
    record.session.fixed_view =
        options_.clients[event.caller].repeatable_read && !repairs(kReadCommitted) ? 1 : 0;
    call.at = At::kLock;
    return Outcome::kContinues;
}

// MariaDB commits what is still open: the first half of a block whose caller took a deadlock for
// the end of its transaction. Visible and released is one step here.
void TransactionServer::begin_transaction(Shared& shared, Record& record, Event& event) const {
    if (record.session.transaction == Transaction::kOpen) {
        event.note(Breach::kFalseError, written_by(record) != 0 || record.session.outbox != 0);
        make_visible(shared, record);
        end_transaction(shared, record);
    }
    LOCKKEEPER_CHECK(record.session.savepoints == 0);
    record.session.transaction = Transaction::kOpen;
}

Outcome TransactionServer::lock(Shared& shared, Record& record, Call& call,
                                const Operation& operation, Event& event) const {
    const Error refused =
        record.connection == Connection::kGone ? Error::kConnectionLost : why_not(record);
    if (refused != Error::kNone) {
        return fail(record, call, refused, event);
    }
    if (!may_lock(record, event.caller)) {
        return fail(record, call, Error::kSnapshotTaken, event);
    }
    const std::size_t line = line_of(operation.key);
    if (!is_user_lock(line)) {
        engage(record);
    }
    if (record.session.place[line] == 0) {
        record.session.in_shared = static_cast<KeySet>((record.session.in_shared & ~bit(line)) |
                                                       (is_shared(operation.key) ? bit(line) : 0));
    } else if (is_in_shared(record.session, line) != is_shared(operation.key)) {
        throw LimitExceeded("both modes of one lock in one transaction");
    }
    return request(shared, record, call, line, event);
}

Outcome TransactionServer::wait_ended(Shared& shared, Record& record, Call& call,
                                      const Operation& operation, Event& event) const {
    const std::size_t line = record.session.waits_for - 1U;
    if (record.session.answer != Error::kNone) {
        const Error error = std::exchange(record.session.answer, Error::kNone);
        end_wait(record);
        if (error == Error::kQueryKilled && !repairs(kCheckedLock)) {
            return acquired(shared, record, call, event);  // NULL is no error, and the block begins
        }
        return operation.verb == Verb::kAcquire ? fail(record, call, error, event)
                                                : clean_up_failed(shared, record, error, event);
    }
    if (operation.verb != Verb::kAcquire) {
        end_wait(record);
        call.at = At::kDelete;
        return delete_rows(shared, record, call, event);
    }
    if (record.session.insert != Insert::kNot) {
        record.session.insert = Insert::kNot;
        return request(shared, record, call, line, event);
    }
    granted_after_wait(shared, record, line);
    return acquired(shared, record, call, event);
}

void TransactionServer::granted_after_wait(Shared& shared, Session& session,
                                           std::size_t line) const {
    if (shows_rows() && !is_user_lock(line) &&
        (shared.rows & bit(line)) == 0) {  // deleted meanwhile: inserted again
        shared.rows = static_cast<KeySet>(shared.rows | bit(line));
        session.inserted = static_cast<KeySet>(session.inserted | bit(line));
    }
    if (session.transaction == Transaction::kNone) {
        // The statement was a transaction of its own: what it locked is free again (InnoDB, when a
        // deadlock has ended the caller's transaction and it goes on).
        session.inserted = session.gaps = 0;
        free_all(shared, session);
    }
}

Outcome TransactionServer::acquired(Shared& shared, Record& record, Call& call,
                                    Event& event) const {
    if (record.session.transaction == Transaction::kNone) {
        record.session.inserted = record.session.gaps = 0;  // as granted_after_wait()
        free_all(shared, record);
    }
    event.note(Breach::kTokenRepeated, record.session.overtaken != 0);
    end_wait(record);
    if (repairs(kGuardSavepoint) || (repairs(kInnerSavepoint) && record.blocks > 0)) {
        call.at = At::kGuard;
        return Outcome::kContinues;
    }
    ++record.blocks;
    return Outcome::kAcquired;
}

Outcome TransactionServer::fail(Record& record, Call& call, Error error, Event& event) const {
    if (record.blocks == 0) {
        call.at = At::kGiveUp;
        call.error = error;
        return Outcome::kContinues;
    }
    told(record, error, event);
    return refuse(error, event);
}

void TransactionServer::told(Record& record, Error error, const Event& event) const {
    note_failure(record, error);
    if (error == Error::kConnectionLost) {
        reconnect_in_block(record, event.caller);
    }
}

void TransactionServer::note_failure(Record& record, Error error) {
    if (record.failed == Error::kNone && record.blocks > 0) {
        record.failed = error;
        record.failed_in = record.anew != 0 ? record.blocks : std::uint8_t{0};
    }
}

// No block was entered: the transaction was begun for this lock only.
Outcome TransactionServer::give_up(Shared& shared, Record& record, Call& call, Event& event) const {
    roll_back(shared, record);
    leave_outermost(shared, record);
    return refuse(call.error, event);
}

Outcome TransactionServer::wait_in_line(const Shared& shared, Record& record, Call& call,
                                        std::size_t line, std::size_t caller) const {
    record.session.place[line] = static_cast<std::uint8_t>(shared.length[line] + 1);
    start_wait(record, call, line, caller);
    return Outcome::kContinues;
}

void TransactionServer::start_wait(Record& record, Call& call, std::size_t line,
                                   std::size_t caller) const {
    record.session.requested = 1;
    call.at = At::kWait;
    if (record.session.waits_for != 0) {
        return;  // a waiting insert that has to wait once more
    }
    record.session.waits_for = static_cast<std::uint8_t>(line + 1);
    record.session.rank = 0xFF;
    const std::int32_t own = options_.clients[caller].lock_timeout;
    const std::int32_t timeout = own == 0 ? options_.lock_timeout : own;
    if (timeout != 0) {
        record.session.timeout.start(timeout);
    }
}

void TransactionServer::end_wait(Session& session) {
    session.waits_for = 0;
    session.rank = 0;
    session.overtaken = 0;
    session.requested = 0;
    session.insert = Insert::kNot;
    session.check.stop();
    session.timeout.stop();
}

// At once, or when the line comes to it: the level is that of the statement either way.
void TransactionServer::grant(Session& session, std::size_t line) {
    session.place[line] = 1;
    session.level[line] = level_of(session);
}

void TransactionServer::grant_next(Session& session, std::size_t line) {
    grant(session, line);
    session.check.stop();
    session.timeout.stop();
}

}  // namespace lockkeeper::transactional
