// The lines of the keys, time, and what happens without any caller: the part of the servers that
// looks at all records at once.
#include <algorithm>
#include <bit>
#include <utility>

#include "impl/transactional/ranks.hpp"
#include "impl/transactional/transaction_server.hpp"
#include "model/check.hpp"

namespace lockkeeper::transactional {
namespace {

// Arguments of background actions.
enum Background : std::uint16_t { kLooksForDeadlock, kTimesOut, kNoticed };

template <class AnyRecords, class Function>
void for_each(const AnyRecords& records, Function function) {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        function(caller, records[caller]);
    }
}

}  // namespace

// After every step, as a part of it: lines close up, views grow old, deadlocks are found.
void TransactionServer::settle(Shared& shared, Records<Record> records) const {
    do {
        for (std::size_t line = 0; line < keys_count(); ++line) {
            wake_inserts(shared, records, line);
            close_line(shared, records, line);
        }
        recount(shared, records);
    } while (resolve_deadlock(shared, records));
    KeySet granted = 0;  // in this step
    KeySet waited_for = 0;
    for_each(records, [&](std::size_t, Record& record) {
        if (record.viewed != 0) {
            record.outdated = static_cast<KeySet>(record.outdated | shared.published);
        }
        record.requested = 0;
        if (record.granted_now != 0) {
            granted = static_cast<KeySet>(granted | bit(record.granted_now - 1U));
        }
        if (record.waits_for != 0) {
            const KeySet line = bit(record.waits_for - 1U);
            const bool owns = record.place[record.waits_for - 1U] == 1;
            granted = static_cast<KeySet>(granted | (owns && record.rank != 0 ? line : 0));
            waited_for = static_cast<KeySet>(waited_for | line);
        }
    });
    shared.published = 0;
    // Most steps grant nothing: they need not look at all records once more.
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if ((granted & bit(line)) != 0) {
            note_overtaking(records, line);
        }
        if ((waited_for & bit(line)) != 0) {
            renumber(records, line);
        }
    }
}

std::size_t TransactionServer::owner_of(Records<Record> records, std::size_t line) {
    std::size_t owner = 0;
    while (owner < records.size() && records[owner].place[line] != 1) {
        ++owner;
    }
    return owner;
}

std::size_t TransactionServer::next_of(Records<Record> records, std::size_t line) const {
    std::size_t next = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const auto place = records[i].place[line];
        const auto best = records[next].place[line];
        const bool newest = has(Bug::kServesTheNewest);
        if (place != 0 && (best == 0 || (newest ? place > best : place < best))) {
            next = i;
        }
    }
    return next;
}

// Somebody has left the line: those behind move up, and the next is granted.
void TransactionServer::close_line(Shared& shared, Records<Record> records,
                                   std::size_t line) const {
    const std::uint8_t left = std::exchange(shared.vacated[line], std::uint8_t{0});
    if (left == 0) {
        return;
    }
    const std::size_t next = left == 1 ? next_of(records, line) : records.size();
    const std::uint8_t from = left == 1 ? records[next].place[line] : left;
    if (from == 0) {
        return;  // nobody waits
    }
    for_each(records, [&](std::size_t caller, Record& record) {
        std::uint8_t& place = record.place[line];
        if (place == 0) {
            return;
        }
        if (caller == next || (left == 1 && has(Bug::kGrantsAllInLine))) {
            grant(record, line);
            record.check.stop();
            record.timeout.stop();
        } else if (place > from) {
            --place;
        }
    });
}

// An undone insert takes the row away: those who waited for it inherit the gap, and insert anew.
void TransactionServer::wake_inserts(Shared& shared, Records<Record> records,
                                     std::size_t line) const {
    if ((shared.vanished & bit(line)) == 0) {
        return;
    }
    shared.vanished = static_cast<KeySet>(shared.vanished & ~bit(line));
    shared.rows = static_cast<KeySet>(shared.rows & ~bit(line));
    shared.vacated[line] = 0;  // the line has gone with the row
    for_each(records, [&](std::size_t, Record& record) {
        if (record.waits_for != line + 1 || record.place[line] == 0) {
            return;
        }
        record.place[line] = 0;
        record.level[line] = 0;
        record.gaps = static_cast<KeySet>(record.gaps | bit(line));
        record.insert = Insert::kWoken;
    });
}

void TransactionServer::recount(Shared& shared, Records<Record> records) const {
    shared.length = {};
    shared.gap_holders = {};
    shared.uncommitted = 0;
    for_each(records, [&](std::size_t, Record& record) {
        for (std::size_t line = 0; line < keys_count(); ++line) {
            shared.length[line] = std::max(shared.length[line], record.place[line]);
            shared.gap_holders[line] = static_cast<std::uint8_t>(
                shared.gap_holders[line] + ((record.gaps >> line & 1U) != 0 ? 1 : 0));
        }
        shared.uncommitted = static_cast<KeySet>(shared.uncommitted | record.inserted);
    });
}

// --- who came first ----------------------------------------------------------------------------

// Granted in this step, with or without a wait: whoever came before and still waits is overtaken.
void TransactionServer::note_overtaking(Records<Record> records, std::size_t line) {
    for_each(records, [&](std::size_t, Record& owner) {
        const bool at_once = owner.granted_now == line + 1;
        const bool from_line =
            owner.waits_for == line + 1 && owner.place[line] == 1 && owner.rank != 0;
        if (!at_once && !from_line) {
            return;
        }
        for_each(records, [&](std::size_t, Record& other) {
            const bool waits = other.waits_for == line + 1 && other.place[line] != 1 &&
                               other.answer == Error::kNone;
            if (waits && (at_once || other.rank < owner.rank)) {
                other.overtaken = 1;
            }
        });
        owner.granted_now = 0;
        if (from_line) {
            owner.rank = 0;
        }
    });
}

// 1, 2 ... in the order in which they came; who has just come has the largest, 0 stays 0.
void TransactionServer::renumber(Records<Record> records, std::size_t line) {
    Ranks ranks;
    for_each(records, [&](std::size_t, const Record& record) {
        if (record.waits_for == line + 1) {
            ranks.add(record.rank);
        }
    });
    if (ranks.in_order()) {
        return;
    }
    for_each(records, [&](std::size_t, Record& record) {
        if (record.waits_for == line + 1) {
            record.rank = ranks.renumbered(record.rank);
        }
    });
}

// --- deadlocks ---------------------------------------------------------------------------------

bool TransactionServer::can_insert(const Shared& shared, const Record& record,
                                   std::size_t line) const {
    const int own = (record.gaps >> line & 1U) != 0 ? 1 : 0;
    return (shared.rows & bit(line)) != 0 || shared.gap_holders[line] == own;
}

bool TransactionServer::waits_on(const Record& waiter, const Record& other, std::size_t line) {
    if (waiter.insert == Insert::kWaits) {
        return (other.gaps >> line & 1U) != 0;
    }
    return waiter.insert == Insert::kNot && waiter.place[line] > 1 && other.place[line] == 1;
}

bool TransactionServer::in_cycle(Records<Record> records, std::size_t from) const {
    std::uint32_t reached = 0;
    std::uint32_t pending = 1U << from;
    while (pending != 0) {
        const auto at = static_cast<std::size_t>(std::countr_zero(pending));
        pending &= pending - 1;
        const Record& waiter = records[at];
        for (std::size_t other = 0; other < records.size() && waiter.waits_for != 0; ++other) {
            const std::uint32_t him = 1U << other;
            if (other == at || !waits_on(waiter, records[other], waiter.waits_for - 1U)) {
                continue;
            }
            pending |= (reached & him) == 0 ? him : 0;
            reached |= him;
        }
    }
    return (reached >> from & 1U) != 0;
}

// --- time, timers, lost connections ----------------------------------------------------------

// The server's own timers are punctual: time does not go on before one that is due was served.
// Sleeping callers are not: whoever can act may act later.
void TransactionServer::background(const Shared&, Records<const Record> records,
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
        look_at(record.timeout, kTimesOut);
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
            record.timeout.pass(action.argument);
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
    record.guarded = 0;
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
