// SPDX-License-Identifier: Apache-2.0

// A connection is lost while its caller lives: with a statement, or with its answer. Until the
// server notices, the session that was lost keeps its transaction, its locks, and its place in a
// line, where its statement goes on without anybody to read the answer.
#include <utility>

#include "impl/transactional/transaction_rules.hpp"
#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

bool is_there(const Session& session) {
    bool holds = session.waits_for != 0 || session.inserted != 0 || session.gaps != 0;
    for (const std::uint8_t place : session.place) {
        holds = holds || place != 0;
    }
    return holds;
}

// Whether the step of this call sends a statement of the caller's session, and, but for the wait
// and COMMIT, has its answer.
bool TransactionServer::sends(const Record& record, const Call& call,
                              const Operation& operation) const {
    const bool open = record.session.transaction != Transaction::kNone;
    const bool reaches = why_not(record) == Error::kNone;
    switch (call.at) {
        case At::kEnter:
        case At::kBegin:
            // The row is inserted on a connection of its own, which is not lost.
            return (call.at != At::kEnter || !repairs(kRowFirst)) &&
                   (record.blocks == 0 || sends_lock(record));
        case At::kLock: return sends_lock(record);
        case At::kGiveUp: return open;
        case At::kOpen: return record.blocks == 0;
        case At::kOpenNew: return record.blocks == 0 || reaches;
        case At::kRollBack: return record.blocks > 1 ? in_guarded_block(record) : open;
        case At::kLeave: {
            const bool asks = operation.verb == Verb::kRelease && asks_at_inner_end() &&
                              record.failed == Error::kNone;
            return record.blocks > 1 ? in_guarded_block(record) || asks : record.blocks > 0 && open;
        }
        case At::kEffect: return repairs(kOutbox) && reaches;
        case At::kRollBackTo: return reaches || record.session.transaction == Transaction::kAborted;
        case At::kGuard:
        case At::kRead:
        case At::kWrite:
        case At::kLook:
        case At::kFail:
        case At::kSavepoint:
        case At::kReleaseSavepoint: return reaches;
        case At::kNowhere:
        case At::kWait:  // the session is lost beside it: lose_waiting()
        case At::kUnlock:
        case At::kAck:
        case At::kAsk:
        case At::kCount:  // the clean-up's are not lost
        case At::kDelete:
        case At::kLieDown:
        case At::kAsleep: break;
    }
    return false;
}

bool TransactionServer::sends_lock(const Record& record) const {
    return why_not(record) == Error::kNone &&
           (record.session.fixed_view == 0 || !repairs(kReadCommitted));
}

// COMMIT that is no roll-back: what became of it is told by a step of its own.
bool TransactionServer::commits(const Record& record, const Call& call, std::size_t caller) const {
    return call.at == At::kLeave && record.blocks == 1 &&
           record.session.transaction == Transaction::kOpen &&
           (record.failed == Error::kNone || options_.clients[caller].rescues);
}

// The server has room for one session that it has not noticed to be lost, of each caller.
std::uint32_t TransactionServer::losses_of(const Shared& shared, const Record& record,
                                           const Call& call, const Operation& operation) const {
    if (record.connection != Connection::kFine || is_there(record.lost)) {
        return 0;
    }
    const bool sent = sends(record, call, operation);
    const bool answered = sent ? call.at != At::kLeave || record.blocks > 1 ||
                                     record.session.transaction != Transaction::kOpen ||
                                     record.failed != Error::kNone
                               : call.at == At::kAck;
    return fault_bit(StatementFault::kRequestLost, sent && shared.left.requests_lost > 0) |
           fault_bit(StatementFault::kAnswerLost, answered && shared.left.answers_lost > 0);
}

Outcome TransactionServer::lose(Shared& shared, Record& record, Call& call,
                                const Operation& operation, Event& event) const {
    const Call sent = call;
    const bool in_transaction = record.session.transaction != Transaction::kNone;
    const bool commits_now = commits(record, call, event.caller);
    if (static_cast<StatementFault>(operation.fault) == StatementFault::kRequestLost) {
        --shared.left.requests_lost;
    } else {
        --shared.left.answers_lost;
        const Record before = record;
        Operation answered = operation;
        answered.fault = 0;
        (void)rules().step(*this, shared, record, call, answered, event);
        // The caller has not read it. What it wrote in a transaction nobody will ever see.
        const Session session = std::exchange(record, before).session;
        record.session = session;
        call = sent;
        event.what &= ~(kEffectRefused | (in_transaction ? kEffect : 0U));
        for (const Breach unread : {Breach::kStale, Breach::kFalseOk, Breach::kTokenRepeated}) {
            event.forget(unread);
        }
        event.error = 0;
    }
    leave_session_behind(record);
    const Outcome outcome = told_of_loss(record, call, operation, event, commits_now);
    if (call.at != At::kAsk) {
        reconnect_in_block(record, event.caller);
    }
    return outcome;
}

void TransactionServer::reconnect_in_block(Record& record, std::size_t caller) const {
    if (record.blocks > 0 && options_.clients[caller].reconnects) {
        record.connection = Connection::kFine;
    }
}

// Clears the fields that are of no use to a session that will never commit.
void TransactionServer::leave_session_behind(Record& record) {
    record.lost = std::exchange(record.session, Session{});
    record.lost.written = {};
    record.lost.outbox = record.lost.engaged = 0;
    record.lost.fixed_view = record.lost.viewed = record.lost.outdated = 0;
    record.connection = Connection::kGone;
    record.unguarded = record.guarded;
    tidy_up(record.lost);
}

// A lost session reads no answer, and is forgotten where it holds nothing.
void TransactionServer::tidy_up(Session& lost) {
    if (lost.answer != Error::kNone) {
        lost.answer = Error::kNone;
        end_wait(lost);
    }
    if (!is_there(lost)) {
        lost = {};
    }
}

Outcome TransactionServer::told_of_loss(Record& record, Call& call, const Operation& operation,
                                        Event& event, bool commits_now) const {
    switch (call.at) {
        case At::kEnter:
        case At::kBegin:
        case At::kLock: return fail(record, call, Error::kConnectionLost, event);
        case At::kGuard:
            return operation.verb == Verb::kAcquire
                       ? fail(record, call, Error::kConnectionLost, event)
                       : refuse_statement(record, Error::kConnectionLost, call.at, event);
        case At::kGiveUp: leave_outermost(record); return refuse(call.error, event);
        case At::kRollBack:
            if (record.blocks > 1) {
                leave_block(record);
            } else {
                leave_outermost(record);
            }
            return Outcome::kDone;
        case At::kLeave: return end_was_lost(record, call, event, commits_now);
        default: break;
    }
    if (record.blocks == 0) {
        record.connection = Connection::kFine;  // the next one is
    }
    return refuse_statement(record, Error::kConnectionLost, call.at, event);
}

Outcome TransactionServer::end_was_lost(Record& record, Call& call, Event& event,
                                        bool commits_now) const {
    const bool raises = record.failed != Error::kNone && !options_.clients[event.caller].rescues;
    const Error error = raises ? record.failed : Error::kConnectionLost;
    if (record.blocks > 1) {
        leave_block(record);
        return refuse(error, event);
    }
    if (commits_now && repairs(kAskOutcome)) {
        call.at = At::kAsk;
        call.commits = Call::kNotCommitted;
        return Outcome::kContinues;
    }
    leave_outermost(record);
    return refuse(error, event);
}

// While its lock statement waits: the caller is told at once, the statement waits on.
void TransactionServer::lose_waiting(Shared& shared, Record& record) const {
    --shared.left.answers_lost;
    leave_session_behind(record);
    record.session.answer = Error::kConnectionLost;
}

bool TransactionServer::can_lose_waiting(const Shared& shared, const Record& record) const {
    return shared.left.answers_lost > 0 && record.connection == Connection::kFine &&
           record.session.waits_for != 0 && record.session.answer == Error::kNone &&
           record.to_delete == 0 && !is_there(record.lost);
}

// The statement of a session that was lost, as wait_ended() for a caller's.
void TransactionServer::lost_goes_on(Shared& shared, Session& lost) const {
    const std::size_t line = lost.waits_for - 1U;
    if (std::exchange(lost.insert, Insert::kNot) != Insert::kNot) {
        if (!take(shared, lost, line)) {
            lost.requested = 1;
            return;
        }
    }
    granted_after_wait(shared, lost, line);
    end_wait(lost);
}

// The server has ended the session.
void TransactionServer::lost_ends(Shared& shared, Session& lost) const {
    roll_back(shared, lost);
    free_user_locks(shared, lost);
    end_wait(lost);
}

}  // namespace lockkeeper::transactional
