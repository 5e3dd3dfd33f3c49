// Time, timers, lost connections: what happens to the servers without any caller.
#include <algorithm>

#include "impl/transactional/each_record.hpp"
#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {
namespace {

// Arguments of background actions.
enum Background : std::uint16_t { kLooksForDeadlock, kTimesOut, kNoticed };

}  // namespace

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
        look_at(record.check, kLooksForDeadlock);
        if (record.timeout.running() && waits_on_somebody(shared, record)) {
            look_at(record.timeout, kTimesOut);
        }
        if (record.connection == Connection::kAbandoned) {
            offer(kNoticed);
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
        idle = idle && record.connection != Connection::kAbandoned;
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
    });
    if (anybody && shared.left.server_crashes > 0) {
        out.add({0, ActionKind::kDisturb, static_cast<std::uint16_t>(Disturbance::kCrash)});
    }
}

void TransactionServer::apply_background(Shared& shared, Records<Record> records, Action action,
                                         Event& event) const {
    if (action.kind == ActionKind::kTime) {
        for_each(records, [&](std::size_t, Record& record) {
            record.check.pass(action.argument);
            // An insert that was woken waits no more, unless it has to once more.
            if (record.timeout.running() && waits_on_somebody(shared, record)) {
                record.timeout.pass(action.argument);
            }
            record.wake.pass(action.argument);
        });
        event.value = action.argument;
        return;
    }
    if (action.kind == ActionKind::kDisturb &&
        action.argument == static_cast<std::uint16_t>(Disturbance::kCrash)) {
        --shared.left.server_crashes;
        // All at once: who waits leaves first, so that nobody is granted what another has left, and
        // nothing depends on the callers' numbers. Each leaves its lines before the next does.
        for (const bool waiting : {true, false}) {
            for_each(records, [&](std::size_t, Record& record) {
                if ((record.waits_for != 0) == waiting) {
                    end_connection(shared, record);
                    settle(shared, records);
                }
            });
        }
        return;
    }
    Record& record = records[action.actor];
    if (action.kind == ActionKind::kDisturb) {
        --shared.left.kills;
        end_connection(shared, record);
        return;
    }
    switch (action.argument) {
        case kLooksForDeadlock:
            record.check.stop();
            if (in_cycle(records, action.actor)) {
                refuse_waiter(shared, record, Error::kDeadlock);
            }
            return;
        case kTimesOut: refuse_waiter(shared, record, Error::kLockTimeout); return;
        default: break;
    }
    if (record.transaction == Transaction::kCommitting) {
        end_transaction(shared, record);
    } else {
        roll_back(shared, record);
    }
    record = {};
}

// A victim of InnoDB has no transaction, and may be in its block, or wait, all the same.
bool TransactionServer::in_use(const Record& record) {
    switch (record.transaction) {
        case Transaction::kOpen:
        case Transaction::kAborted: return true;
        case Transaction::kNone: return record.blocks > 0 || record.waits_for != 0;
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
    if (record.waits_for != 0) {
        record.answer = Error::kConnectionLost;
        record.check.stop();
        record.timeout.stop();
        record.insert = Insert::kNot;
    }
    roll_back(shared, record);
    if (record.connection == Connection::kFine) {
        record.connection = Connection::kGone;
    }
}

void TransactionServer::on_death(Shared&, Record& record) const {
    record.wake.stop();
    record.blocks = 0;
    record.guarded = record.unguarded = 0;
    record.failed = Error::kNone;
    record.outbox = 0;
    record.to_delete = record.deleted = 0;
    const bool has_none =
        record.transaction == Transaction::kNone || record.transaction == Transaction::kCommitted;
    const bool waits = record.waits_for != 0 && record.answer == Error::kNone;
    if (has_none && !waits) {
        record = {};
    } else {
        record.connection = Connection::kAbandoned;
    }
}

}  // namespace lockkeeper::transactional
