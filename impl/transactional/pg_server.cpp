// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pg_server.hpp"

#include "impl/transactional/transaction_rules.hpp"

namespace lockkeeper::transactional {

Outcome PgServer::request(Shared& shared, Record& record, Call& call, std::size_t line,
                          Event& event) const {
    if (record.session.place[line] == 1) {
        return acquired(shared, record, call, event);
    }
    const bool joins = is_in_shared(record.session, line) && shared.length[line] == 1 &&
                       (shared.in_shared & bit(line)) != 0;  // readers, and nobody waits
    if (shared.length[line] == 0 || joins) {
        grant(record, line);
        record.session.granted_now = static_cast<std::uint8_t>(line + 1);
        return acquired(shared, record, call, event);
    }
    if (options().clients[event.caller].tries) {
        record.session.in_shared = static_cast<KeySet>(record.session.in_shared & ~bit(line));
        return record.blocks == 0 ? fail(record, call, Error::kNotAvailable, event)
                                  : refuse(Error::kNotAvailable, event);
    }
    if (rules().looks_for_deadlocks()) {
        record.session.check.start(options().deadlock_timeout);
    }
    return wait_in_line(shared, record, call, line, event.caller);
}

bool PgServer::may_lock(Record& record, std::size_t) const {
    if (record.session.fixed_view == 0) {
        return true;
    }
    if (repairs(kReadCommitted)) {
        return false;
    }
    record.session.viewed = 1;
    return true;
}

// Frees the locks that were taken since the latest savepoint.
void PgServer::free_level(Shared& shared, Session& session) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (session.level[line] > session.savepoints) {
            free_lock(shared, session, line);
        }
    }
}

void PgServer::statement_failed(Shared& shared, Session& session) const {
    if (session.transaction == Transaction::kOpen) {
        session.transaction = Transaction::kAborted;
        free_level(shared, session);
    }
}

void PgServer::roll_back_to_savepoint(Shared& shared, Record& record) const {
    record.session.transaction = Transaction::kOpen;
    free_level(shared, record);
    undo_level(record);
}

void PgServer::refuse_waiter(Shared& shared, Session& session, Error error) const {
    free_lock(shared, session, session.waits_for - 1U);
    session.check.stop();
    session.timeout.stop();
    session.answer = error;
    statement_failed(shared, session);
}

Error PgServer::why_not(const Record& record) const {
    return record.session.transaction == Transaction::kAborted ? Error::kInFailedTransaction
                                                               : Error::kNone;
}

bool PgServer::takes_view(At at) const {
    switch (at) {
        case At::kRead:
        case At::kWrite:
        case At::kEffect:
        case At::kLook:
        case At::kFail: return true;
        default: return false;
    }
}

bool PgServer::row_conflict(const Record& record, std::size_t key) const {
    return record.session.viewed != 0 && (record.session.outdated & bit(key)) != 0;
}

}  // namespace lockkeeper::transactional
