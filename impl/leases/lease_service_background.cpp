// SPDX-License-Identifier: Apache-2.0

// The lease service: what happens beside the calls, and what it shows.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

// The next one is due whether or not this one was answered.
void LeaseService::add_heartbeat(Agenda& agenda, Instant now, const Record& record,
                                 std::size_t caller, std::size_t key, ActionList& out) const {
    const Renewal& renewal = record.renewal[key];
    switch (renewal.phase) {
        case Phase::kNone: return;
        case Phase::kWaits:
            add_due(agenda, now, renewal.at, caller, Doing::kSend, key, out);
            return;
        case Phase::kAsked:
        case Phase::kGhost:
            agenda.due(renewal.by, 0);
            if (record.under_way[0] == kHeartbeat + key) {
                add(out, caller, Doing::kHandle, key);
            }
            return;
        case Phase::kAnswered:
            agenda.due(renewal.by, 0);
            add(out, caller, Doing::kAnswer, key);
            return;
        case Phase::kSilent:
        case Phase::kBlocked:
        case Phase::kBlockedGhost: break;
    }
    unreachable("a phase of a heartbeat");
}

// One end a stream, whatever it remembers.
void LeaseService::add_orphans(Agenda& agenda, const Record& record, std::size_t caller,
                               ActionList& out) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.late[key] != 0) {
            agenda.next.at(record.late[key]);
            add(out, caller, Doing::kLate, key);
        }
        if (record.orphan[key] == 0) {
            continue;
        }
        const Instant by = record.orphan_by[key];
        if (by != 0) {
            agenda.due(by, 0);
        }
        if (key == 0 || record.orphan[0] == 0 || record.orphan_by[0] != by) {
            add(out, caller, Doing::kNotice, key);
        }
    }
}

void LeaseService::collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                           ActionList& out) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (shared.map[key].id != 0) {
            agenda.next.around(shared.map[key].expires);
        }
    }
    if (shared.closed_until != 0) {
        agenda.next.around(shared.closed_until);
    }
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        agenda.next.at(record.wake);
        if (record.by != 0) {
            agenda.due(record.by, 0);
        }
        add_orphans(agenda, record, caller, out);
        for (std::size_t key = 0; key < keys_count(); ++key) {
            add_heartbeat(agenda, shared.now, record, caller, key, out);
            if (record.deadline[key] != 0) {
                add_due(agenda, shared.now, record.deadline[key], caller, Doing::kDeadline, key,
                        out);
            }
        }
    }
}

void LeaseService::disturbances(const Shared& shared, Records<const Record> records,
                                ActionList& out) const {
    for (std::size_t caller = 0; shared.left.resets > 0 && caller < records.size(); ++caller) {
        const bool remembers = records[caller].orphan != std::array<std::uint8_t, Size::kKeys>{};
        if (records[caller].stream == Stream::kOpen) {
            add(out, caller, Disturbance::kReset, 0);
            if (!remembers) {
                add(out, caller, Disturbance::kHalfReset, 0);
            }
        }
    }
    if (shared.left.restarts > 0) {
        add(out, 0, Disturbance::kRestart, 0);
    }
}

void LeaseService::apply_background(Shared& shared, Records<Record> records, Action action,
                                    Event& event) const {
    rules_->background(*this, shared, records, action, event);
}

void LeaseService::disturb(Shared& shared, Records<Record> records, std::size_t caller,
                           std::size_t /*key*/, Disturbance what, Event& event) const {
    Record& record = records[caller];
    switch (what) {
        case Disturbance::kReset:
            --shared.left.resets;
            end_by_service(shared, record, event);
            return;
        case Disturbance::kHalfReset:
            --shared.left.resets;
            leave_behind(record);
            break_connection(record);
            return;
        case Disturbance::kRestart: restart(shared, records); return;
        default: break;
    }
    unreachable("a disturbance of the lease service");
}

void LeaseService::act(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                       Doing what, Event& event) const {
    Renewal& renewal = record.renewal[key];
    switch (what) {
        case Doing::kSend:
            if (record.stream == Stream::kRefused) {  // an ordinary end: taken for success
                next_heartbeat(record, shared.now, caller, key);
                return;
            }
            if (record.stream != Stream::kOpen) {  // a send error
                lose(event, caller, key);
                forget(record, key);
                record.stream = has_any(record) ? record.stream : Stream::kClosed;
                return;
            }
            send(renewal, shared.now, ttl_of(caller) / 2, caller);
            put_under_way(record, kHeartbeat + key);
            return;
        case Doing::kHandle: handle_heartbeat(shared, record, caller, key, event); return;
        case Doing::kAnswer: read_answer(shared, record, caller, key, event); return;
        case Doing::kDeadline:
            lose(event, caller, key);
            give_up(shared, record, key);
            return;
        case Doing::kNotice:
            notice_end(shared, record, record.orphan_by[key], kAllKeys, event);
            return;
        case Doing::kLate: handle_late(shared, record, caller, key, event); return;
        default: break;
    }
    unreachable("what the lease service does");
}

void LeaseService::handle_heartbeat(Shared& shared, Record& record, std::size_t caller,
                                    std::size_t key, Event& event) const {
    Renewal& renewal = record.renewal[key];
    arrive(record);
    const bool expected = renewal.phase != Phase::kGhost;
    const bool ok = handle(shared, record, caller, key, event);
    renewal.by = 0;
    if (!expected) {
        renewal = {};
    } else if (!repairs(kSvOwnDeadline)) {
        renewal.phase = Phase::kWaits;  // the answer is not read
        renewal.sent = 0;
    } else {
        renewal.phase = Phase::kAnswered;
        renewal.by = instant(shared.now + options().delay);
        renewal.gone = ok ? 0 : 1;
    }
}

void LeaseService::read_answer(const Shared& shared, Record& record, std::size_t caller,
                               std::size_t key, Event& event) const {
    Renewal& renewal = record.renewal[key];
    if (renewal.gone != 0) {
        lose(event, caller, key);
        forget(record, key);
        leave_when_empty(shared, record);
        close_when_empty(record);
        return;
    }
    record.deadline[key] = instant(own_deadline(shared, renewal.sent, caller));
    renewal.phase = Phase::kWaits;
    renewal.sent = 0;
    renewal.by = 0;
}

// The connection goes with the process; the service notices it some time.
void LeaseService::on_death(Shared&, Record& record) const {
    leave_behind(record);
    const Record left = record;
    record = {};
    record.orphan = left.orphan;
    record.orphan_by = left.orphan_by;
    record.late = left.late;
    record.late_of = left.late_of;
}

bool LeaseService::idle(const Shared&, Records<const Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        for (std::size_t key = 0; key < keys_count(); ++key) {
            const Record& record = records[caller];
            if (record.renewal[key].under_way() || record.orphan[key] != 0 ||
                record.late[key] != 0) {
                return false;
            }
        }
    }
    return true;
}

// --- what it shows ---------------------------------------------------------------------------

void LeaseService::observe(const Shared& shared, Records<const Record> records,
                           Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        KeyObservation& seen = out.keys[key];
        seen.granted = is_valid(shared, key) ? 1 : 0;
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const bool unaware = !who.dead && !who.calling && who.believed[key] == 0 &&
                                 (records[caller].flags[key] & kGaveUp) == 0;
            if (unaware && holds(shared, records[caller], key)) {
                ++seen.phantoms;
            }
        }
        seen.counters = {shared.map[key].id == 0 ? kAbsentCounter : told(shared.map[key].expires)};
    }
}

std::string LeaseService::describe_step(const Shared& shared, const Record&, const Call& call,
                                        const Operation& operation) const {
    const std::string& key = options().keys[operation.key];
    switch (call.at) {
        case At::kAsk: return "ask for " + key;
        case At::kAsked: return "the request for " + key + " is handled";
        case At::kAnswered:
        case At::kRefused: return "the answer arrives";
        case At::kRelease: return "forget " + key + "; end the stream when nothing is left";
        case At::kRenew: return "renew " + key + " and read the answer";
        case At::kSendWrite: return "write: change what " + key + " guards";
        case At::kWriteArrives: return "the write to what " + key + " guards arrives";
        case At::kHang: return "stop the heartbeats of " + key;
        case At::kLieDown: return "until " + text_of(shared.now + operation.time());
        case At::kAsleep: return "wake up";
        case At::kNowhere: break;
    }
    return "idle";
}

std::string LeaseService::show(const Shared& shared) const {
    std::string text = "time " + text_of(shared.now);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Entry& entry = shared.map[key];
        text +=
            "  " + options().keys[key] +
            (entry.id == 0 ? std::string(" no entry")
                           : " until " + text_of(entry.expires) + "#" + std::to_string(entry.id));
    }
    return text;
}

}  // namespace lockkeeper::leases
