// SPDX-License-Identifier: Apache-2.0

// Time, timers, lost connections: what happens to the servers without any caller.
#include <algorithm>

#include "impl/transactional/transaction_rules.hpp"
#include "impl/transactional/transaction_state.hpp"

namespace lockkeeper::transactional {

// The server's own timers are punctual: time does not go on before one that is due was served.
// Sleeping callers are not: whoever can act may act later.
void TransactionServer::background(const Shared& shared, Records<const Record> records,
                                   ActionList& out) const {
    constexpr std::int32_t kNever = kInstantMax;
    std::int32_t next = kNever;
    bool due = false;
    for_each(records, [&](std::size_t caller, const Record& record) {
        const auto offer = [&](std::uint16_t what) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground, what});
        };
        const auto look_at = [&](const Timer& timer, std::uint16_t what) {
            if (timer.due()) {
                offer(what);
                due = true;
            } else if (timer.running()) {
                next = std::min(next, timer.left());
            }
        };
        look_at(record.session.check, kLooksForDeadlock);
        const bool acts = rules().timeouts_are_punctual() || !record.session.timeout.due();
        if (record.session.timeout.running() && waits_on_somebody(shared, record) && acts) {
            look_at(record.session.timeout, kTimesOut);
        }
        look_at(record.lost.check, kLostLooks);
        const bool waits = record.lost.waits_for != 0;
        if (waits && !waits_on_somebody(shared, record.lost)) {
            offer(kLostGoesOn);
        } else if (waits && record.lost.timeout.running()) {
            look_at(record.lost.timeout, kLostTimesOut);
        }
        // A session that waits for a lock does not look at its socket.
        if (!waits && options_.notices && is_there(record.lost)) {
            offer(kLostNoticed);
        }
        if (record.connection == Connection::kAbandoned) {
            offer(kNoticed);
            if (record.session.insert != Insert::kNot &&
                !waits_on_somebody(shared, record.session)) {
                offer(kDeadGoesOn);
            }
        }
        if (record.wake.running() && !record.wake.due()) {
            next = std::min(next, record.wake.left());
        }
    });
    if (!due && next != kNever) {
        out.add({0, ActionKind::kTime, static_cast<std::uint16_t>(next)});
    }
}

bool TransactionServer::idle(const Shared&, Records<const Record> records) const {
    bool idle = true;
    for_each(records, [&](std::size_t, const Record& record) {
        idle = idle && record.connection != Connection::kAbandoned &&
               (!options_.notices || !is_there(record.lost));
    });
    return idle;
}

void TransactionServer::disturbances(const Shared& shared, Records<const Record> records,
                                     ActionList& out) const {
    bool anybody = false;
    for_each(records, [&](std::size_t caller, const Record& record) {
        const bool open = record.connection == Connection::kFine && in_use(record);
        anybody = anybody || open;
        if (open && shared.left.kills > 0) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kDisturb,
                     static_cast<std::uint16_t>(Disturbance::kKill)});
        }
        if (can_kill_query(shared, record)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kDisturb,
                     static_cast<std::uint16_t>(Disturbance::kKillQuery)});
        }
        if (can_lose_waiting(shared, record)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kDisturb,
                     static_cast<std::uint16_t>(Disturbance::kLose)});
        }
    });
    if (anybody && shared.left.server_crashes > 0) {
        out.add({0, ActionKind::kDisturb, static_cast<std::uint16_t>(Disturbance::kCrash)});
    }
}

// All at once: who waits and is not granted yet leaves first, so that nobody is granted what
// another has left, and nothing depends on the callers' numbers. Each leaves its lines before the
// next does, and once: who waited is not asked again what he has become by then.
void TransactionServer::crash_server(Shared& shared, Records<Record> records) const {
    const auto waits = [](const Session& session) {
        return session.waits_for != 0 && session.place[session.waits_for - 1U] != 1;
    };
    static_assert(2 * Size::kCallers <= 64);
    std::uint64_t waiting = 0;  // two bits of each record
    for_each(records, [&](std::size_t caller, Record& record) {
        waiting |= std::uint64_t{waits(record.session) ? 1U : 0U} << 2 * caller;
        waiting |= std::uint64_t{waits(record.lost) ? 2U : 0U} << 2 * caller;
    });
    for (const std::uint64_t now : {waiting, ~waiting}) {
        for_each(records, [&](std::size_t caller, Record& record) {
            if ((now >> 2 * caller & 1U) != 0) {
                end_connection(shared, record);
                settle(shared, records);
            }
            if ((now >> 2 * caller & 2U) != 0 && is_there(record.lost)) {
                lost_ends(shared, record.lost);
                settle(shared, records);
            }
        });
    }
}

void TransactionServer::apply_background(Shared& shared, Records<Record> records, Action action,
                                         Event& event) const {
    if (action.kind == ActionKind::kTime) {
        for_each(records, [&](std::size_t, Record& record) {
            for (Session* session : {&record.session, &record.lost}) {
                session->check.pass(action.argument);
                // An insert that was woken waits no more, unless it has to once more.
                if (session->timeout.running() && waits_on_somebody(shared, *session)) {
                    session->timeout.pass(action.argument);
                }
            }
            record.wake.pass(action.argument);
        });
        event.value = told_in(options_.time_unit, action.argument);
        return;
    }
    if (action.kind == ActionKind::kDisturb &&
        action.argument == static_cast<std::uint16_t>(Disturbance::kCrash)) {
        --shared.left.server_crashes;
        crash_server(shared, records);
        return;
    }
    Record& record = records[action.actor];
    if (action.kind == ActionKind::kDisturb &&
        action.argument == static_cast<std::uint16_t>(Disturbance::kLose)) {
        return lose_waiting(shared, record);
    }
    if (action.kind == ActionKind::kDisturb &&
        action.argument == static_cast<std::uint16_t>(Disturbance::kKillQuery)) {
        --shared.left.query_kills;
        return refuse_waiter(shared, record.session, Error::kQueryKilled);
    }
    if (action.kind == ActionKind::kDisturb) {
        --shared.left.kills;
        end_connection(shared, record);
        return;
    }
    const Sessions sessions = sessions_of(records);
    const std::size_t lost = action.actor + records.size();
    switch (action.argument) {
        case kLooksForDeadlock: return look_for_deadlock(shared, sessions, action.actor);
        case kTimesOut: return refuse(shared, sessions, action.actor, Error::kLockTimeout);
        case kLostLooks: return look_for_deadlock(shared, sessions, lost);
        case kLostTimesOut: return refuse(shared, sessions, lost, Error::kLockTimeout);
        case kLostGoesOn: return lost_goes_on(shared, record.lost);
        case kLostNoticed: return lost_ends(shared, record.lost);
        case kDeadGoesOn: return lost_goes_on(shared, record.session);
        default: break;
    }
    end_abandoned(shared, record);
}

// Only for waits for user locks: in a wait for a row, KILL QUERY is an error like others (1317).
bool TransactionServer::can_kill_query(const Shared& shared, const Record& record) const {
    const Session& session = record.session;
    return shared.left.query_kills > 0 && session.waits_for != 0 &&
           is_user_lock(session.waits_for - 1U) && session.place[session.waits_for - 1U] != 1 &&
           session.answer == Error::kNone;
}

void TransactionServer::look_for_deadlock(Shared& shared, const Sessions& sessions,
                                          std::size_t at) const {
    sessions[at].check.stop();
    if (in_cycle(sessions, at) && !rearranged(sessions, at)) {
        refuse(shared, sessions, at, Error::kDeadlock);
    }
}

// The server has noticed that the caller is dead.
void TransactionServer::end_abandoned(Shared& shared, Record& record) const {
    if (record.session.transaction == Transaction::kCommitting) {
        end_transaction(shared, record);
    } else {
        roll_back(shared, record);
    }
    free_user_locks(shared, record.session);
    forget_caller(record);
}

void TransactionServer::forget_caller(Record& record) {
    const Session lost = record.lost;
    record = {};
    record.lost = lost;
}

// A victim of InnoDB has no transaction, and may be in its block, or wait, all the same.
bool TransactionServer::in_use(const Record& record) {
    switch (record.session.transaction) {
        case Transaction::kOpen:
        case Transaction::kAborted: return true;
        case Transaction::kNone: return record.blocks > 0 || record.session.waits_for != 0;
        case Transaction::kCommitting:
        case Transaction::kCommitted: break;
    }
    return false;
}

// The server ends the session: killed, or the whole server restarts. What was in the middle of a
// COMMIT stays committed.
void TransactionServer::end_connection(Shared& shared, Record& record) const {
    if (!in_use(record)) {
        return;  // what is committing is done, or the recovery does it; its next step frees its
                 // locks
    }
    if (record.session.waits_for != 0) {
        record.session.answer = Error::kConnectionLost;
        record.session.check.stop();
        record.session.timeout.stop();
        record.session.insert = Insert::kNot;
    }
    roll_back(shared, record);
    free_user_locks(shared, record.session);
    if (record.connection == Connection::kFine) {
        record.connection = Connection::kGone;
    }
}

void TransactionServer::on_death(Shared&, Record& record) const {
    record.wake.stop();
    record.blocks = 0;
    record.guarded = record.unguarded = record.anew = 0;
    record.failed = Error::kNone;
    record.failed_in = 0;
    record.session.outbox = 0;
    record.to_delete = record.deleted = 0;
    record.unopened = 0;
    const bool has_none = record.session.transaction == Transaction::kNone ||
                          record.session.transaction == Transaction::kCommitted;
    const bool waits = record.session.waits_for != 0 && record.session.answer == Error::kNone;
    // A user lock outlives COMMIT: it ends with the session, when the server notices that.
    const auto& places = record.session.place;
    const bool holds =
        std::any_of(places.begin(), places.end(), [](auto place) { return place != 0; });
    if (has_none && !waits && !holds) {
        forget_caller(record);
    } else {
        record.session.transaction = has_none ? Transaction::kNone : record.session.transaction;
        record.connection = Connection::kAbandoned;
    }
}

}  // namespace lockkeeper::transactional
