#include "impl/transactional/pg_server.hpp"

namespace lockkeeper::transactional {

Outcome PgServer::request(Shared& shared, Record& record, Call& call, std::size_t line,
                          Event& event) const {
    if (record.place[line] == 1) {
        return acquired(shared, record, call, event);
    }
    if (shared.length[line] == 0) {
        grant(record, line);
        record.granted_now = static_cast<std::uint8_t>(line + 1);
        return acquired(shared, record, call, event);
    }
    if (!has(Bug::kNeverLooksForDeadlocks)) {
        record.check.start(options().deadlock_timeout);
    }
    return wait_in_line(shared, record, call, line, event.caller);
}

bool PgServer::may_lock(Record& record, std::size_t) const {
    if (record.fixed_view == 0) {
        return true;
    }
    if (repairs(kReadCommitted)) {
        return false;
    }
    record.viewed = 1;
    return true;
}

// What was taken since the latest savepoint.
void PgServer::free_level(Shared& shared, Record& record) const {
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (record.level[line] > record.savepoints) {
            free_lock(shared, record, line);
        }
    }
}

void PgServer::statement_failed(Shared& shared, Record& record) const {
    if (record.transaction == Transaction::kOpen) {
        record.transaction = Transaction::kAborted;
        free_level(shared, record);
    }
}

void PgServer::roll_back_to_savepoint(Shared& shared, Record& record) const {
    record.transaction = Transaction::kOpen;
    free_level(shared, record);
    undo_level(record);
}

void PgServer::refuse_waiter(Shared& shared, Record& record, Error error) const {
    free_lock(shared, record, record.waits_for - 1U);
    record.check.stop();
    record.timeout.stop();
    record.answer = error;
    statement_failed(shared, record);
}

Error PgServer::why_not(const Record& record) const {
    return record.transaction == Transaction::kAborted ? Error::kInFailedTransaction : Error::kNone;
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
    return record.viewed != 0 && (record.outdated & bit(key)) != 0;
}

}  // namespace lockkeeper::transactional
