// SPDX-License-Identifier: Apache-2.0

// The documents of the multi lock: its entries, what of its older versions may be seen again, and
// what happens to them without any client.
#include <algorithm>
#include <cstring>
#include <string>

#include "impl/monglock/monglock_rules.hpp"
#include "impl/monglock/multi_lock.hpp"

namespace lockkeeper::monglock {

bool MultiLock::is_free(const Lock& lock, std::size_t tag, std::int32_t now,
                        std::size_t caller) const {
    std::size_t entries = 0;
    std::size_t old = 0;
    for (const Entry& entry : lock[tag]) {
        entries += entry.id != 0 ? 1U : 0U;
        old += entry.id != 0 && entry.timestamp <= now - timeout_of(caller, tag) ? 1U : 0U;
    }
    return entries == 0 || (repairs(kAllElements) ? old == entries : old > 0);
}

bool MultiLock::all_free(const Lock& lock, TagSet tags, std::int32_t now,
                         std::size_t caller) const {
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        if (has_bit(tags, tag) && !is_free(lock, tag, now, caller)) {
            return false;
        }
    }
    return true;
}

MultiLock::Lock MultiLock::part_of(const Lock& lock, std::size_t document) const {
    Lock part{};
    put_part(part, lock, document);
    return part;
}

// `part` may hold other documents as well.
void MultiLock::put_part(Lock& lock, const Lock& part, std::size_t document) const {
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        if (document_of(tag) == document) {
            lock[tag] = part[tag];
        }
    }
    const unsigned bit = 1U << document;
    lock.is_set = static_cast<std::uint16_t>((lock.is_set & ~bit) | (part.is_set & bit));
}

bool MultiLock::differ(const Lock& one, const Lock& other, std::size_t document) const {
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        if (document_of(tag) == document &&
            std::memcmp(&one[tag], &other[tag], sizeof(List)) != 0) {
            return true;
        }
    }
    return has_bit(unsigned{one.is_set} ^ other.is_set, document);
}

std::uint32_t MultiLock::faults_of_sight(const Shared& shared, std::size_t tag) const {
    const std::size_t document = document_of(tag);
    const auto& older = shared.older;
    const bool is_there = exists(shared, tag);
    const bool lags = is_deleted(is_there) || (is_there && differ(older[0], shared.lock, document));
    return shared.left.faults_of_read(lags, lags && differ(older[1], older[0], document));
}

MultiLock::Sight MultiLock::read_document(Shared& shared, const Operation& operation) const {
    const OperationFault fault = met(shared.left, operation);
    switch (fault) {
        case OperationFault::kReadFails: return {true, false, {}};
        case OperationFault::kReadLags:
        case OperationFault::kReadLagsMore: {
            const std::size_t behind = fault == OperationFault::kReadLags ? 0 : 1;
            const Sight sight{false, true, shared.older[behind]};
            forget_older(shared);
            return sight;
        }
        default: return {false, exists(shared, operation.key), shared.lock};
    }
}

bool MultiLock::keeps_writes() const {
    return repairs(kMultiKeptWrites) && options_.rules->asks_for_majority();
}
bool MultiLock::asks_for_majority(const Budgets& left) const {
    return options_.rules->asks_for_majority() && ClientSide::asks_for_majority(left) &&
           !keeps_writes();
}

// Where an update is answered, a majority has it, and what was written before.
void MultiLock::acknowledge(Shared& shared, std::size_t tag, OperationFault fault) const {
    if (fault == OperationFault::kNone || fault == OperationFault::kCopied) {
        shared.exists = without(shared.exists, kDocuments + document_of(tag));
    }
}

bool MultiLock::keeps_newest_write(const Shared& shared) const {
    return shared.left.read_lags > 0 || (undoes_a_write(shared.left) && !keeps_writes());
}

bool MultiLock::keeps_two_writes(const Shared& shared) {
    return shared.left.read_lags > 0 || undoes_two_writes(shared.left);
}

// Keeps the older values; called before a write to the document.
void MultiLock::keep_older(Shared& shared, std::size_t document) const {
    if (!keeps_newest_write(shared)) {
        return;
    }
    auto& older = shared.older;
    put_part(older[1], keeps_two_writes(shared) ? older[0] : Lock{}, document);
    put_part(older[0], shared.lock, document);
    if (asks_for_majority(shared.left)) {
        shared.exists = with(shared.exists, kDocuments + document);
    }
}

// Forgets the older values that nothing can bring back or show any more.
void MultiLock::forget_older(Shared& shared) const {
    if (!keeps_newest_write(shared)) {
        shared.older = {};
    } else if (!keeps_two_writes(shared)) {
        shared.older[1] = {};
    }
    for (std::size_t document = 0; document < documents_count(); ++document) {
        if (!has_bit(shared.exists, document) && shared.left.read_lags == 0) {
            put_part(shared.older[0], {}, document);
            put_part(shared.older[1], {}, document);
        }
    }
}

// Matches nothing, and writes nothing, where there is no such entry.
void MultiLock::remove(Shared& shared, std::size_t tag, unsigned id) const {
    if (find(shared.lock, tag, id) == nullptr) {
        return;
    }
    if (is_write_lock(tag)) {
        set_inactive(shared, tag);
        return;
    }
    keep_older(shared, document_of(tag));
    auto& list = shared.lock[tag];
    const auto end = std::remove_if(list.begin(), list.end(),
                                    [&](const Entry& entry) { return entry.id == id; });
    std::fill(end, list.end(), Entry{});
}

std::uint8_t MultiLock::next_id(Shared& shared) {
    if (shared.ids == 0xFF) {
        throw LimitExceeded("more than 255 acquisitions");
    }
    return ++shared.ids;
}

void MultiLock::add_entry(Shared& shared, Entry entry, std::size_t tag) const {
    if (is_write_lock(tag)) {
        take(shared, entry, tag);
        return;
    }
    auto& list = shared.lock[tag];
    const auto free =
        std::find_if(list.begin(), list.end(), [](const Entry& one) { return one.id == 0; });
    if (free == list.end()) {
        throw LimitExceeded("more than " + std::to_string(kEntriesMax) + " entries of one tag");
    }
    keep_older(shared, document_of(tag));
    *free = entry;
    mark_set(shared.lock, document_of(tag));
}

// --- what is under way although nobody waits for it --------------------------------------------

// It has the id of the entry that it makes, or made. One that is applied once, and has come before,
// is nothing when it comes: the store knows its id.
void MultiLock::let_travel(Shared& shared, Record& record, Call& call, Readings readings,
                           const Operation& operation, const Event& event) const {
    const bool late = static_cast<OperationFault>(operation.fault) == OperationFault::kLate;
    if (repairs(kMultiAppliedOnce) && (!late || call.answer != 0)) {
        return;
    }
    call.id = call.id == 0 ? next_id(shared) : call.id;
    const auto id = static_cast<std::uint8_t>(call.id);
    send(shared, record,
         Stray::of(Stray::What::kTake, operation.key, like(event.caller), readings.timestamp, id,
                   readings.judged_by));
}

void MultiLock::arrive(Shared& shared, Records<Record>, Event&) const {
    const Stray stray = std::exchange(shared.stray, Stray{});
    if (may_push(shared, stray.key(), {stray.judged_by, stray.timestamp}, stray.like())) {
        add_entry(shared, {stray.timestamp, stray.id, 0}, stray.key());
        shared.stray = Stray::of(Stray::What::kHasCome, stray.key(), 0, 0, stray.id);
    }
}

// --- time, disturbances ------------------------------------------------------------------------

void MultiLock::collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                        ActionList& out) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        const auto stop_when_old = [&](Instant timestamp, std::size_t tag) {
            const std::int32_t own = timeout_of(caller, tag);
            if (own != kNeverOld) {
                agenda.next.around(when_shows(timestamp + own, record, caller));
            }
        };
        for (std::size_t tag = 0; tag < keys_count(); ++tag) {
            const std::int32_t general = options_.lock_timeouts[tag];
            const bool ends_elsewhere = timeout_of(caller, tag) != general || has_drift(caller);
            for (const Entry& entry : shared.lock[tag]) {
                if (!may_become_old(entry, tag)) {
                    continue;
                }
                stop_when_old(entry.timestamp, tag);
                const std::int32_t end = entry.timestamp + general;  // of the grant, for its judge
                if (ends_elsewhere && end < end_of_time()) {
                    agenda.next.around(end);
                }
            }
        }
        for (std::size_t other = 0; other < records.size(); ++other) {
            for (std::size_t tag = 0; records[other].reading != 0 && tag < keys_count(); ++tag) {
                stop_when_old(records[other].reading, tag);
            }
        }
        for (std::size_t tag = 0; shared.stray.is_under_way() && tag < keys_count(); ++tag) {
            stop_when_old(shared.stray.timestamp, tag);
        }
        add_own_stops(agenda, shared.now, record, caller, out);
    }
}

void MultiLock::disturbances(const Shared& shared, Records<const Record> records,
                             ActionList& out) const {
    for (std::size_t document = 0; document < documents_count(); ++document) {
        const bool differs = !keeps_writes() && differ(shared.lock, shared.older[0], document);
        const bool is_kept =
            asks_for_majority(shared.left) && !has_bit(shared.exists, kDocuments + document);
        if (has_bit(shared.exists, document)) {
            add_disturbances(shared.left, document, differs, is_kept, out);
        }
    }
    ClientSide::add_disturbances(shared, records, out);
}

// After a disturbance.
void MultiLock::note_acknowledged(Shared& shared, Disturbance what, std::size_t document) const {
    constexpr DocumentSet kThere = (1U << kDocuments) - 1U;
    const std::size_t bit = kDocuments + document;
    if (what == Disturbance::kForget) {
        shared.exists = without(shared.exists, bit);
    } else if (what == Disturbance::kSaveBack) {
        shared.exists = with(shared.exists, bit);
    }
    if (!asks_for_majority(shared.left)) {
        shared.exists &= kThere;
    }
}

void MultiLock::disturb_document(Shared& shared, Records<Record> records, Action action) const {
    const std::size_t document = std::min(std::size_t{action.actor}, documents_count() - 1);
    Lock part = part_of(shared.lock, document);
    Older<Lock> older{part_of(shared.older[0], document), part_of(shared.older[1], document)};
    disturb(shared.left, records, action, part, older, keeps_two_writes(shared), [&] {
        if (keeps_newest_write(shared)) {
            keep_value(older, part, keeps_two_writes(shared));
        }
        part = {};
        shared.exists = without(without(shared.exists, document), kDocuments + document);
    });
    note_acknowledged(shared, static_cast<Disturbance>(action.argument), document);
    put_part(shared.lock, part, document);
    put_part(shared.older[0], older[0], document);
    put_part(shared.older[1], older[1], document);
    forget_older(shared);
}

}  // namespace lockkeeper::monglock
