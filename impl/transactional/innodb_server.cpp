// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/innodb_server.hpp"

#include <bit>

#include "impl/transactional/transaction_rules.hpp"

namespace lockkeeper::transactional {

Outcome InnodbServer::prepare(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Event& event) const {
    if (!repairs(kRowFirst) || is_user_lock(line_of(operation.key))) {
        return begin_or_lock(shared, record, call, operation, event);
    }
    const std::size_t line = line_of(operation.key);
    shared.rows = static_cast<KeySet>(shared.rows | bit(line));
    call.at = At::kBegin;
    return Outcome::kContinues;
}

Outcome InnodbServer::request(Shared& shared, Record& record, Call& call, std::size_t line,
                              Event& event) const {
    if (record.session.place[line] == 1 || take(shared, record, line)) {
        return acquired(shared, record, call, event);
    }
    start_wait(record, call, line, event.caller);
    return Outcome::kContinues;
}

bool InnodbServer::take(Shared& shared, Session& session, std::size_t line) const {
    const bool there = is_user_lock(line) ||
                       rules().row_is_there((shared.rows & bit(line)) != 0, shared.length[line]);
    const bool free = there ? shared.length[line] == 0 : can_insert(shared, session, line);
    if (!free && there) {
        session.place[line] = static_cast<std::uint8_t>(shared.length[line] + 1);
        return false;
    }
    if (!free) {
        session.insert = Insert::kWaits;
        return false;
    }
    if (!there) {
        shared.rows = static_cast<KeySet>(shared.rows | bit(line));
        session.inserted = static_cast<KeySet>(session.inserted | bit(line));
    }
    grant(session, line);
    if (session.waits_for == 0) {
        session.granted_now = static_cast<std::uint8_t>(line + 1);
    }
    return true;
}

void InnodbServer::roll_back_to_savepoint(Shared& shared, Record& record) const {
    const bool took_part =
        record.session.engaged != 0 && record.session.engaged <= record.session.savepoints;
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (record.session.level[line] <= record.session.savepoints || is_user_lock(line)) {
            continue;
        }
        const bool own_row = (record.session.inserted & bit(line)) != 0;
        if (own_row) {
            shared.vanished = static_cast<KeySet>(shared.vanished | bit(line));
            record.session.inserted = static_cast<KeySet>(record.session.inserted & ~bit(line));
            // A waiter has made the row's lock an explicit one: the owner inherits the gap, too,
            // unless it is READ COMMITTED, and keeps the gap.
            const bool inherits =
                took_part && record.session.fixed_view != 0 && shared.length[line] > 1;
            record.session.gaps =
                static_cast<KeySet>(record.session.gaps | (inherits ? bit(line) : 0));
        }
        if (own_row || !took_part) {
            free_lock(shared, record, line);
        }
    }
    if (!took_part) {  // all that the engine knows of the transaction was done since
        record.session.engaged = 0;
        record.session.gaps = 0;
        record.session.viewed = record.session.outdated = 0;
    }
    undo_level(record);
}

// The victim of a deadlock of rows loses its transaction; who waited too long, and the victim of a
// deadlock of user locks, only the statement.
void InnodbServer::refuse_waiter(Shared& shared, Session& session, Error error) const {
    const std::size_t line = session.waits_for - 1U;
    if (session.place[line] != 0) {
        free_lock(shared, session, line);
    }
    session.insert = Insert::kNot;
    session.timeout.stop();
    session.answer = error;
    if (error == Error::kDeadlock && !is_user_lock(line) && rules().deadlock_ends_transaction()) {
        roll_back(shared, session);
    } else if (error == Error::kLockTimeout && rules().timeout_frees_all()) {
        free_all(shared, session);
    } else if (session.transaction == Transaction::kNone) {
        session.gaps = 0;  // the statement was a transaction of its own
    }
}

bool InnodbServer::resolve_deadlock(Shared& shared, const Sessions& sessions) const {
    for (std::size_t at = 0; at < sessions.size(); ++at) {
        const Session& session = sessions[at];
        const bool waits = session.requested != 0 && session.answer == Error::kNone;
        if (waits && rules().looks_for_deadlocks() && in_cycle(sessions, at)) {
            refuse(shared, sessions, at, Error::kDeadlock);
            return true;
        }
    }
    return false;
}

Error InnodbServer::why_not(const Record& record) const {
    const bool gone = record.blocks > 0 && record.session.transaction == Transaction::kNone;
    return gone && repairs(kCheckedEnd) ? Error::kRolledBack : Error::kNone;
}

bool InnodbServer::takes_view(At at) const {
    return at == At::kLook || (at == At::kRead && !repairs(kLockingReads));
}

void InnodbServer::engage(Record& record) const {
    if (record.session.engaged == 0 && record.session.transaction == Transaction::kOpen) {
        record.session.engaged = level_of(record);
    }
}

std::size_t InnodbServer::next_of(const Sessions& sessions, std::size_t line) const {
    std::size_t next = TransactionServer::next_of(sessions, line);
    for (std::size_t i = 0; options().by_weight && i < sessions.size(); ++i) {
        const auto place = sessions[i].place[line];
        const std::size_t weight = weight_of(sessions, i);
        const std::size_t best = weight_of(sessions, next);
        if (place != 0 &&
            (weight > best || (weight == best && place < sessions[next].place[line]))) {
            next = i;
        }
    }
    return next;
}

// Counts `caller` and the sessions that cannot go on before it ends.
std::size_t InnodbServer::weight_of(const Sessions& sessions, std::size_t caller) {
    std::uint32_t blocked = 0;
    for (std::uint32_t before = 1U << caller; before != blocked;) {
        blocked = before;
        for (std::size_t waiter = 0; waiter < sessions.size(); ++waiter) {
            for (std::size_t other = 0; other < sessions.size(); ++other) {
                const std::size_t waits_for = sessions[waiter].waits_for;
                if (waits_for != 0 && (blocked >> other & 1U) != 0 && waiter != other &&
                    waits_on(sessions[waiter], sessions[other], waits_for - 1)) {
                    before |= 1U << waiter;
                }
            }
        }
    }
    return static_cast<std::size_t>(std::popcount(blocked));
}

}  // namespace lockkeeper::transactional
