// The document of the multi lock: its entries, what of its older versions may be seen again, and
// what happens to it without any client.
#include <algorithm>
#include <cstring>
#include <string>

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

std::uint32_t MultiLock::faults_of_sight(const Shared& shared) const {
    const auto differ = [](const Lock& one, const Lock& other) {
        return std::memcmp(&one, &other, sizeof(Lock)) != 0;
    };
    const bool lags = is_deleted(shared.exists != 0) ||
                      (shared.exists != 0 && differ(shared.older[0], shared.lock));
    return shared.left.faults_of_read(lags, lags && differ(shared.older[1], shared.older[0]));
}

MultiLock::Sight MultiLock::read_document(Shared& shared, const Event& event) const {
    const OperationFault fault = met(shared.left, event);
    switch (fault) {
        case OperationFault::kReadFails: return {true, false, {}};
        case OperationFault::kReadLags:
        case OperationFault::kReadLagsMore: {
            const std::size_t behind = fault == OperationFault::kReadLags ? 0 : 1;
            const Sight sight{false, true, shared.older[behind]};
            forget_older(shared);
            return sight;
        }
        default: return {false, shared.exists != 0, shared.lock};
    }
}

bool MultiLock::keeps_newest_write(const Shared& shared) const {
    const bool undone = shared.left.failovers > 0 || shared.left.save_backs > 0;
    return shared.left.read_lags > 0 || (undone && !repairs(kMultiKeptWrites));
}

bool MultiLock::keeps_two_writes(const Shared& shared) {
    return shared.left.read_lags > 0 || undoes_two_writes(shared.left);
}

// Before a write.
void MultiLock::keep_older(Shared& shared) const {
    if (keeps_newest_write(shared)) {
        ClientSide::keep_older(shared.older, shared.lock, keeps_two_writes(shared));
    }
}

// What nobody can bring back or see any more.
void MultiLock::forget_older(Shared& shared) const {
    const bool is_gone = shared.exists == 0 && shared.left.read_lags == 0;
    if (is_gone || !keeps_newest_write(shared)) {
        shared.older = {};
    } else if (!keeps_two_writes(shared)) {
        shared.older[1] = {};
    }
}

// Matches nothing, and writes nothing, where there is no such entry.
void MultiLock::remove(Shared& shared, std::size_t tag, unsigned id) const {
    if (find(shared.lock, tag, id) == nullptr) {
        return;
    }
    keep_older(shared);
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
    auto& list = shared.lock[tag];
    const auto free =
        std::find_if(list.begin(), list.end(), [](const Entry& one) { return one.id == 0; });
    if (free == list.end()) {
        throw LimitExceeded("more than " + std::to_string(kEntriesMax) + " entries of one tag");
    }
    keep_older(shared);
    *free = entry;
}

// --- what is under way although nobody waits for it --------------------------------------------

// It has the id of the entry that it makes, or made. One that is applied once, and has come before,
// is nothing when it comes: the store knows its id.
void MultiLock::let_travel(Shared& shared, Record& record, Call& call, Instant reading,
                           std::size_t tag, const Event& event) const {
    const bool late = static_cast<OperationFault>(event.fault) == OperationFault::kLate;
    if (repairs(kMultiAppliedOnce) && (!late || call.answer != 0)) {
        return;
    }
    call.id = call.id == 0 ? next_id(shared) : call.id;
    const auto id = static_cast<std::uint8_t>(call.id);
    send(shared, record, Stray::of(Stray::What::kTake, tag, like(event.caller), reading, id));
}

void MultiLock::arrive(Shared& shared) const {
    const Stray stray = std::exchange(shared.stray, Stray{});
    if (may_push(shared, stray.key(), stray.timestamp, stray.like())) {
        add_entry(shared, {stray.timestamp, stray.id, 0}, stray.key());
        shared.stray = Stray::of(Stray::What::kHasCome, stray.key(), 0, 0, stray.id);
    }
}

// What has come is of interest as long as it stands.
void MultiLock::watch(Shared& shared, Records<Record> records) const {
    if (has_ended(shared)) {
        forget_stray(shared, records);
    }
}

// --- time, disturbances ------------------------------------------------------------------------

void MultiLock::background(const Shared& shared, Records<const Record> records,
                           ActionList& out) const {
    Agenda agenda(shared.now);
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        for (std::size_t tag = 0; tag < keys_count(); ++tag) {
            const std::int32_t general = options_.lock_timeouts[tag];
            const std::int32_t own = timeout_of(caller, tag);
            for (const Entry& entry : shared.lock[tag]) {
                if (entry.id != 0) {
                    agenda.next.around(when_shows(entry.timestamp + own, record, caller));
                }
                const bool ends_apart = own != general || has_drift(caller);
                if (entry.id != 0 && ends_apart) {
                    agenda.next.around(entry.timestamp + general);  // the grant ends
                }
            }
        }
        for (std::size_t other = 0; other < records.size(); ++other) {
            for (std::size_t tag = 0; records[other].reading != 0 && tag < keys_count(); ++tag) {
                agenda.next.around(
                    when_shows(records[other].reading + timeout_of(caller, tag), record, caller));
            }
        }
        for (std::size_t tag = 0; shared.stray.is_under_way() && tag < keys_count(); ++tag) {
            agenda.next.around(
                when_shows(shared.stray.timestamp + timeout_of(caller, tag), record, caller));
        }
        add_own_stops(agenda, shared.now, record, caller, out);
    }
    offer_time(agenda, out);
}

void MultiLock::disturbances(const Shared& shared, Records<const Record> records,
                             ActionList& out) const {
    if (shared.exists != 0) {
        const bool differs = !repairs(kMultiKeptWrites) &&
                             std::memcmp(&shared.lock, &shared.older[0], sizeof(Lock)) != 0;
        add_disturbances(shared.left, 0, differs, out);
    }
    add_disturbances(shared.left, shared.stray, records.size(), out);
}

void MultiLock::apply_background(Shared& shared, Records<Record> records, Action action,
                                 Event& event) const {
    if (pass_time(shared, records, action, event, forget)) {
        return;
    }
    if (static_cast<Disturbance>(action.argument) == Disturbance::kArrives) {
        arrive(shared);
        if (shared.stray.is_none()) {
            forget_stray(shared, records);
        }
        return;
    }
    disturb(shared.left, records, action, shared.lock, shared.older, keeps_two_writes(shared), [&] {
        keep_older(shared);
        shared.lock = {};
        shared.exists = 0;
    });
    forget_older(shared);
}

}  // namespace lockkeeper::monglock
