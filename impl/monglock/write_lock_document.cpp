// SPDX-License-Identifier: Apache-2.0

// The documents of the write lock: what happens to them, and to the clocks, without any client, and
// the updates that come although nobody waits for them.
#include <algorithm>
#include <utility>

#include "impl/monglock/write_lock.hpp"

namespace lockkeeper::monglock {

// --- what is under way although nobody waits for it --------------------------------------------

// It has the id of the acquisition that it makes, or made. One that is applied once, and has come
// before, is nothing when it comes: the store knows its id.
void WriteLock::let_travel(Shared& shared, Record& record, Call& call, const Operation& operation,
                           Instant reading, const Event& event) const {
    const std::size_t key = operation.key;
    using What = Stray::What;
    const bool late = static_cast<OperationFault>(operation.fault) == OperationFault::kLate;
    const bool has_come = !late || (call.flags & (kMatched | kNotMatched)) != 0;
    if (repairs(kAppliedOnce) && has_come) {
        return;
    }
    const What what = call.at == At::kTake       ? What::kTake
                      : (call.flags & kAny) != 0 ? What::kReleaseAny
                                                 : What::kRelease;
    std::uint8_t id = named(record, call, key).generation;
    if (what == What::kTake) {
        call.id = call.id == 0 ? next_generation(shared.documents[key]) : call.id;
        id = static_cast<std::uint8_t>(call.id);
    }
    send(shared, record, Stray::of(what, key, period_of(event.caller, operation), reading, id));
}

// A release that is applied once keeps its answer for the client that asks again.
void WriteLock::arrive_to_release(Shared& shared, const Stray& stray, bool is_awaited,
                                  Event& event) const {
    using What = Stray::What;
    Document& document = shared.documents[stray.key()];
    const bool any = stray.what() == What::kReleaseAny;
    const bool matches = may_release(document, {stray.timestamp, stray.id, any});
    const Field& lock = document.lock;
    const bool is_others = matches && lock.active == Active::kYes && lock.generation != stray.id;
    if (matches) {
        set_inactive(document, lock.generation == stray.id, shared.left, event);
    }
    if (is_awaited && repairs(kAppliedOnce) && repairs(kCleanUp)) {
        shared.stray = Stray::of(matches ? What::kReleased : What::kNotReleased, stray.key(),
                                 is_others ? 1 : 0, 0, stray.id);
    }
}

void WriteLock::arrive(Shared& shared, Records<Record> records, Event& event) const {
    using What = Stray::What;
    bool is_awaited = false;  // by a client that is alive
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        is_awaited = is_awaited || records[caller].has_sent != 0;
    }
    const Stray stray = std::exchange(shared.stray, Stray{});
    Document& document = shared.documents[stray.key()];
    if (stray.is_release()) {
        arrive_to_release(shared, stray, is_awaited, event);
        return;
    }
    if (may_take(document, stray.timestamp, stray.like())) {
        const Instant timestamp = token_for(document, stray.timestamp);
        write(document, {timestamp, Active::kYes, stray.id}, shared.left);
        shared.stray = Stray::of(What::kHasCome, stray.key(), 0, 0, stray.id);
    }
}

// --- time, the holder's deadline, disturbances ------------------------------------------------

void WriteLock::collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                        ActionList& out) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        const auto stop_when_old = [&](std::int32_t timestamp) {
            for (const std::size_t period : periods_of_clients_[caller]) {
                agenda.next.around(when_shows(timestamp + periods_[period], record, caller));
            }
        };
        // A clock that is behind may show a timestamp again: of two acquisitions, where that
        // counts.
        const auto stop_when_equal = [&](std::int32_t timestamp) {
            if (timestamp != 0 && !repairs(kUniqueIds)) {
                agenda.next.at(when_shows(timestamp, record, caller));
            }
        };
        for (std::size_t key = 0; key < keys_count(); ++key) {
            const Field& lock = shared.documents[key].lock;
            if (lock.active == Active::kYes) {
                stop_when_old(lock.timestamp);
            }
            stop_when_equal(lock.timestamp);
        }
        for (std::size_t other = 0; other < records.size(); ++other) {
            if (records[other].reading != 0) {  // to be written as a timestamp
                stop_when_old(records[other].reading);
            }
            stop_when_equal(records[other].reading);
        }
        if (shared.stray.what() == Stray::What::kTake) {
            stop_when_old(shared.stray.timestamp);
            stop_when_equal(shared.stray.timestamp);
        }
        add_own_stops(agenda, shared.now, record, caller, out);
    }
}

void WriteLock::disturbances(const Shared& shared, Records<const Record> records,
                             ActionList& out) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Document& document = shared.documents[key];
        const bool differs =
            !keeps_writes() && (document.older[0].active != document.lock.active ||
                                document.older[0].generation != document.lock.generation);
        if (document.exists != 0) {
            const bool is_kept = asks_for_majority(shared.left) && document.exists == kThere;
            add_disturbances(shared.left, key, differs, is_kept, out);
        }
    }
    ClientSide::add_disturbances(shared, records, out);
}

void WriteLock::disturb_document(Shared& shared, Records<Record> records, Action action) const {
    Document& document = shared.documents[std::min<std::size_t>(action.actor, Size::kKeys - 1)];
    disturb(shared.left, records, action, document.lock, document.older,
            keeps_two_writes(shared.left), [&] {
                document.lock = {};
                document.older = {};
                document.exists = 0;
            });
    if (static_cast<Disturbance>(action.argument) == Disturbance::kForget) {
        document.exists &= kThere;
    } else if (static_cast<Disturbance>(action.argument) == Disturbance::kSaveBack &&
               asks_for_majority(shared.left)) {
        document.exists |= kUnacknowledged;
    }
    for (Document& one : shared.documents) {
        one.exists &= asks_for_majority(shared.left) ? one.exists : kThere;
        if (!keeps_newest_write(shared.left)) {
            one.older = {};
        } else if (!keeps_two_writes(shared.left)) {
            one.older[1] = {};
        }
    }
}

}  // namespace lockkeeper::monglock
