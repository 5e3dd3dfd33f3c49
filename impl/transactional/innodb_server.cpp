#include "impl/transactional/innodb_server.hpp"

#include <bit>

namespace lockkeeper::transactional {

Outcome InnodbServer::prepare(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Event& event) const {
    if (!repairs(kRowFirst)) {
        return begin_or_lock(shared, record, call, operation, event);
    }
    const std::size_t line = line_of(operation.key);
    shared.rows = static_cast<KeySet>(shared.rows | bit(line));
    call.at = At::kBegin;
    return Outcome::kContinues;
}

Outcome InnodbServer::request(Shared& shared, Record& record, Call& call, std::size_t line,
                              Event& event) const {
    // A row that was deleted under somebody's lock, or in front of a line, is there as far as locks
    // go: whoever is granted makes it anew.
    const bool there =
        (shared.rows & bit(line)) != 0 || (shared.length[line] > 0 && !has(Bug::kForgetsTheLine));
    const bool free = there ? shared.length[line] == 0 : can_insert(shared, record, line);
    if (record.place[line] == 1) {
        return acquired(shared, record, call, event);
    }
    if (free) {
        if (!there) {
            shared.rows = static_cast<KeySet>(shared.rows | bit(line));
            record.inserted = static_cast<KeySet>(record.inserted | bit(line));
        }
        grant(record, line);
        if (record.waits_for == 0) {
            record.granted_now = static_cast<std::uint8_t>(line + 1);
        }
        return acquired(shared, record, call, event);
    }
    if (there) {
        return wait_in_line(shared, record, call, line, event.caller);
    }
    start_wait(record, call, line, event.caller);
    record.insert = Insert::kWaits;
    return Outcome::kContinues;
}

void InnodbServer::roll_back_to_savepoint(Shared& shared, Record& record) const {
    const bool took_part = record.engaged != 0 && record.engaged <= record.savepoints;
    for (std::size_t line = 0; line < keys_count(); ++line) {
        if (record.level[line] <= record.savepoints) {
            continue;
        }
        const bool own_row = (record.inserted & bit(line)) != 0;
        if (own_row) {
            shared.vanished = static_cast<KeySet>(shared.vanished | bit(line));
            record.inserted = static_cast<KeySet>(record.inserted & ~bit(line));
        }
        if (own_row || !took_part) {
            free_lock(shared, record, line);
        }
    }
    if (!took_part) {  // all that the engine knows of the transaction was done since
        record.engaged = 0;
        record.gaps = 0;
        record.viewed = record.outdated = 0;
    }
    undo_level(record);
}

// The victim of a deadlock loses its transaction, who waited too long only the statement.
void InnodbServer::refuse_waiter(Shared& shared, Record& record, Error error) const {
    const std::size_t line = record.waits_for - 1U;
    if (record.place[line] != 0) {
        free_lock(shared, record, line);
    }
    record.insert = Insert::kNot;
    record.timeout.stop();
    record.answer = error;
    if (error == Error::kDeadlock) {
        roll_back(shared, record);
    } else if (record.transaction == Transaction::kNone) {
        record.gaps = 0;  // the statement was a transaction of its own
    }
}

bool InnodbServer::resolve_deadlock(Shared& shared, Records<Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        Record& record = records[caller];
        const bool waits = record.requested != 0 && record.answer == Error::kNone;
        if (waits && !has(Bug::kNeverLooksForDeadlocks) && in_cycle(records, caller)) {
            refuse_waiter(shared, record, Error::kDeadlock);
            return true;
        }
    }
    return false;
}

Error InnodbServer::why_not(const Record& record) const {
    const bool gone = record.blocks > 0 && record.transaction == Transaction::kNone;
    return gone && repairs(kCheckedEnd) ? Error::kRolledBack : Error::kNone;
}

bool InnodbServer::takes_view(At at) const {
    return at == At::kLook || (at == At::kRead && !repairs(kLockingReads));
}

void InnodbServer::engage(Record& record) const {
    if (record.engaged == 0 && record.transaction == Transaction::kOpen) {
        record.engaged = level_of(record);
    }
}

std::size_t InnodbServer::next_of(Records<Record> records, std::size_t line) const {
    std::size_t next = TransactionServer::next_of(records, line);
    for (std::size_t i = 0; options().by_weight && i < records.size(); ++i) {
        const auto place = records[i].place[line];
        const std::size_t weight = weight_of(records, i);
        const std::size_t best = weight_of(records, next);
        if (place != 0 &&
            (weight > best || (weight == best && place < records[next].place[line]))) {
            next = i;
        }
    }
    return next;
}

// Of all who cannot go on before `caller` ends.
std::size_t InnodbServer::weight_of(Records<Record> records, std::size_t caller) {
    std::uint32_t blocked = 0;
    for (std::uint32_t before = 1U << caller; before != blocked;) {
        blocked = before;
        for (std::size_t waiter = 0; waiter < records.size(); ++waiter) {
            for (std::size_t other = 0; other < records.size(); ++other) {
                const std::size_t waits_for = records[waiter].waits_for;
                if (waits_for != 0 && (blocked >> other & 1U) != 0 && waiter != other &&
                    waits_on(records[waiter], records[other], waits_for - 1)) {
                    before |= 1U << waiter;
                }
            }
        }
    }
    return static_cast<std::size_t>(std::popcount(blocked));
}

}  // namespace lockkeeper::transactional
