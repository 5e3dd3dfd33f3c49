// SPDX-License-Identifier: Apache-2.0

// The database leases: what happens beside the calls, and what they show.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

// A call that executes without a lease, as committed; -1: none.
int LeaseDb::abandoned_attempt(const Shared& shared, std::size_t key) const {
    for (unsigned attempt = 0; calls_ && !is_visible(shared.rows[key]) && attempt < 2; ++attempt) {
        if (!is_call_locked(shared, key, attempt) &&
            shared.calls[key][attempt] == CallState::kExecuting) {
            return static_cast<int>(attempt);
        }
    }
    return -1;
}

void LeaseDb::collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                      ActionList& out) const {
    bool stale = false;
    std::int32_t reap_by = NextStop::kNever;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Row& row = shared.rows[key];
        if (row.token != 0) {
            agenda.next.around(row.expires - shared.clock);
            stale = stale || is_stale(shared, row);
            if (is_visible(row)) {
                reap_by = std::min(reap_by, row.expires - shared.clock + 1 + options().reaper);
            }
        }
        if (row.pending == Pending::kShared) {
            add(out, 0, Doing::kUnlock, key);
        }
        if (abandoned_attempt(shared, key) >= 0) {
            add(out, 0, Doing::kNotice, key);
        }
    }
    if (stale && !reaped_by_task_ && !reaper_waits(shared)) {
        add(out, 0, Doing::kReap, 0);
        agenda.no_later_than(reap_by);
    }
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        agenda.next.at(record.wake);
        if (record.started != 0) {
            agenda.next.around(record.started + ttl_of(caller));
        }
        if (record.by != 0) {
            agenda.due(record.by, 0);
        }
        for (std::size_t key = 0; key < keys_count(); ++key) {
            const bool may_come = !is_changing(shared.rows[key]);
            if (record.late_by[key] != 0 && may_come) {
                add(out, caller, Doing::kLate, key);
                agenda.no_later_than(record.late_by[key]);
            }
            add_renewal(agenda, shared.now, record.renewal[key], caller, key, true, out);
            add_blocked(agenda, shared, record, caller, key, out);
            if (record.deadline[key] != 0) {
                add_due(agenda, shared.now, record.deadline[key], caller, Doing::kDeadline, key,
                        out);
            }
            if (goes_on(shared, record, key)) {
                agenda.no_later_than(shared.now);
            }
            if ((record.flags[key] & kCleaning) != 0 && !is_locked(shared, record, key)) {
                add(out, caller, Doing::kCleanUp, key);
            }
        }
    }
}

// A statement that waits for a row inserts it while its caller's transaction is open, else deletes.
bool LeaseDb::goes_on(const Shared& shared, const Record& record, std::size_t key) {
    const std::uint8_t flags = record.flags[key];
    const Row& row = shared.rows[key];
    const bool waits = record.started != 0 ? is_changing(row) : row.pending == Pending::kShared;
    return ((flags & kWaitsForRow) != 0 && !waits) ||
           ((flags & kWaitsForCall) != 0 && !is_call_locked(shared, key, record.attempt[key]));
}

void LeaseDb::disturbances(const Shared& shared, Records<const Record> records,
                           ActionList& out) const {
    add_disturbances(
        shared, records,
        [](const Row& row) { return row.token != 0 && row.pending == Pending::kNo; }, out);
    for (std::size_t key = 0; shared.left.row_locks > 0 && key < keys_count(); ++key) {
        if (shared.rows[key].token != 0 && shared.rows[key].pending == Pending::kNo) {
            add(out, 0, Disturbance::kLockRow, key);
        }
    }
    for (std::size_t number = 0; shared.left.restarts > 0 && number < kControllers; ++number) {
        const auto& clients = options().clients;
        if (std::any_of(clients.begin(), clients.end(), [&](const Client& client) {
                return client.controller == static_cast<std::int32_t>(number) + 1;
            })) {
            add(out, 0, Disturbance::kCrashController, number);
        }
    }
    for (std::size_t caller = 0; shared.left.resets > 0 && caller < records.size(); ++caller) {
        for (std::size_t key = 0; key < keys_count(); ++key) {
            const Phase renewal = records[caller].renewal[key].phase;
            const bool travels = renewal == Phase::kAsked || renewal == Phase::kBlocked;
            if (travels || renewal == Phase::kAnswered || renewal == Phase::kSilent) {
                add(out, caller, Disturbance::kReset, key);
            }
            if (travels) {
                add(out, caller, Disturbance::kHalfReset, key);
            }
        }
    }
}

void LeaseDb::apply_background(Shared& shared, Records<Record> records, Action action,
                               Event& event) const {
    rules_->background(*this, shared, records, action, event);
}

void LeaseDb::disturb(Shared& shared, Records<Record> records, std::size_t caller, std::size_t key,
                      Disturbance what, Event& event) const {
    Record& record = records[caller];
    if (what == Disturbance::kCrashController) {
        crash_controller(shared, records, key);
        return;
    }
    if (what == Disturbance::kLockRow) {
        --shared.left.row_locks;
        shared.rows[key].pending = Pending::kShared;
        return;
    }
    if (what != Disturbance::kReset && what != Disturbance::kHalfReset) {
        disturb_row(shared, record, key, what);
        return;
    }
    --shared.left.resets;
    if (what == Disturbance::kReset) {
        record.renewal[key].phase = Phase::kSilent;
    }
    give_up(record, caller, key, event);
}

void LeaseDb::act(Shared& shared, Record& record, std::size_t caller, std::size_t key, Doing what,
                  Event& event) const {
    Renewal& renewal = record.renewal[key];
    switch (what) {
        case Doing::kSend: send(renewal, shared.now, ttl_of(caller) / 2, caller); return;
        case Doing::kHandle: handle_renewal(shared, record, caller, key); return;
        case Doing::kAnswer:
            if (renewal.gone != 0) {
                tell_of_loss(event, caller, key);
                renewal = {};
                record.deadline[key] = 0;
                // Handled before the COMMIT of a pick: nobody saw the row, and by now it may be
                // there.
                if (shared.rows[key].token != record.token[key]) {
                    end(record, key);
                } else if (repairs(kDbCleanUp) && record.started == 0) {
                    record.flags[key] |= kCleaning;  // an acquire under way cleans up itself
                }
                return;
            }
            if (record.deadline[key] != 0) {
                record.deadline[key] = instant(own_deadline(shared, renewal.sent, caller));
            }
            wait_for(renewal, shared.now, ttl_of(caller) / 2, caller);
            return;
        case Doing::kGiveUp:
        case Doing::kDeadline: give_up(record, caller, key, event); return;
        case Doing::kReap: reap(shared); return;
        case Doing::kCleanUp:
            if (shared.rows[key].token == record.token[key]) {
                shared.rows[key] = {};
            }
            end(record, key);
            return;
        case Doing::kNotice: clean_up_call(shared, key); return;
        case Doing::kLate: insert_late(shared, record, caller, key, event); return;
        case Doing::kCut: cut(record, key); return;
        case Doing::kUnlock: shared.rows[key].pending = Pending::kNo; return;
        case Doing::kCallOn:
        case Doing::kTakeBack: break;
    }
    unreachable("what the database leases do");
}

void LeaseDb::clean_up_call(Shared& shared, std::size_t key) const {
    const bool first = abandoned_attempt(shared, key) == 0;
    shared.calls[key][first ? 0 : 1] = CallState::kFailed;
    if (first && retries_ && shared.calls[key][1] == CallState::kNone) {
        shared.calls[key][1] = CallState::kPending;
    }
}

// The context is cancelled, renewal ends, the row stays.
void LeaseDb::give_up(Record& record, std::size_t caller, std::size_t key, Event& event) const {
    tell_of_loss(event, caller, key);
    stop(record, key);
    if (repairs(kDbCleanUp)) {
        record.flags[key] |= kCleaning;
    }
}

// The connection is gone: what was not committed is rolled back. A request may still arrive.
void LeaseDb::on_death(Shared& shared, Record& record) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        rules_->connection_lost(shared, record, key);
    }
    record.wake = 0;
    record.by = 0;
    end_transaction(record);
}

bool LeaseDb::has_under_way(const Record& record) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Renewal& renewal = record.renewal[key];
        if (renewal.under_way() || renewal.is_blocked() || record.late_by[key] != 0 ||
            (record.flags[key] & kCleaning) != 0) {
            return true;
        }
    }
    return false;
}

bool LeaseDb::idle(const Shared& shared, Records<const Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        if (has_under_way(records[caller])) {
            return false;
        }
    }
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (abandoned_attempt(shared, key) >= 0 || shared.rows[key].pending == Pending::kShared) {
            return false;
        }
    }
    return true;
}

// --- what it shows ---------------------------------------------------------------------------

void LeaseDb::observe(const Shared& shared, Records<const Record> records, Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        const Row& row = shared.rows[key];
        KeyObservation& seen = out.keys[key];
        seen.granted = is_granted(shared, row) ? 1 : 0;
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const bool unaware = !who.dead && !who.calling && who.believed[key] == 0;
            const bool late = row.token != 0 && row.token == records[caller].late_token[key];
            if (unaware &&
                (holds(shared, records[caller], key) || (late && is_granted(shared, row)))) {
                ++seen.phantoms;
            }
        }
        seen.counters.clear();
        for (const CallState state : shared.calls[key]) {
            if (calls_) {
                seen.counters.push_back(static_cast<std::int32_t>(state));
            }
        }
        seen.counters.push_back(row.token == 0 ? kAbsentCounter : told(row.expires));
    }
}

std::string LeaseDb::describe_background(const Shared&, Records<const Record> records,
                                         Action action) const {
    if (action.kind == ActionKind::kBackground) {
        const std::size_t key = key_of(action);
        const std::string& name = options().keys[key];
        if (doing(action) == Doing::kNotice) {
            return "clean up: " + name + " executes without a lease, it has failed";
        }
        if (doing(action) == Doing::kHandle && records[action.actor].renewal[key].is_blocked()) {
            return "the renewal of " + name + " by @ goes on";
        }
    }
    if (action.kind == ActionKind::kBackground && doing(action) == Doing::kDeadline &&
        !repairs(kDbOwnDeadline)) {
        return "@ gives up " + options().keys[key_of(action)] + ": its stream has ended";
    }
    if (action.kind == ActionKind::kDisturb &&
        disturbance(action) == Disturbance::kCrashController) {
        return "controller " + std::to_string(key_of(action) + 1) + " crashes, and starts again";
    }
    return describe_common(action);
}

std::string LeaseDb::describe_step(const Shared& shared, const Record&, const Call& call,
                                   const Operation& operation) const {
    const std::string& key = options().keys[operation.key];
    if (is_orphaned(shared, call)) {
        return "no answer for " + key + ", its controller has crashed";
    }
    switch (call.at) {
        case At::kPick: return "pick " + key + " if it is pending";
        case At::kInsert: return calls_ ? "insert the lease of " + key : "insert " + key;
        case At::kInsertWaits: return "the insert of " + key + " goes on";
        case At::kMark: return "set " + key + " to executing by its id";
        case At::kMarkWaits: return "the update of " + key + " goes on";
        case At::kBeginRenewals: return "renewals of " + key + " begin";
        case At::kPickCommit: return "COMMIT of the pick";
        case At::kInsertCommit: return "COMMIT";
        case At::kInsertReply: return "the answer arrives";
        case At::kDelete: return "delete " + key + " if it has the token";
        case At::kDeleteWaits: return "the delete of " + key + " goes on";
        case At::kDeleteCommit: return "COMMIT";
        case At::kCleanUp: return "delete what may have been left of " + key;
        case At::kSendWrite: return "write: change what " + key + " guards";
        case At::kWriteArrives: return "the write to what " + key + " guards arrives";
        case At::kComplete: return "complete " + key + " by its id";
        case At::kCompleteWaits: return "the update of " + key + " goes on";
        case At::kCompleteCommit: return "COMMIT of the completion";
        case At::kHang: return "stop renewing " + key;
        case At::kDeleteRow: return "delete the row of " + key + ", whosever it is";
        case At::kReapRows: return "reap what has expired";
        case At::kLieDown: return "until " + text_of(shared.now + operation.time());
        case At::kAsleep: return "wake up";
        case At::kNowhere: break;
    }
    return "idle";
}

const char* LeaseDb::words_of(Pending pending) {
    switch (pending) {
        case Pending::kNo: return "";
        case Pending::kInsert: return ", insert not committed";
        case Pending::kDelete: return ", delete not committed";
        case Pending::kShared: return ", looked at by another transaction";
    }
    return "";
}

std::string LeaseDb::show(const Shared& shared) const {
    constexpr const char* kStates[] = {"", " pending", " executing", " succeeded", " failed"};
    std::string text = "time " + text_of(shared.now);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Row& row = shared.rows[key];
        text += "  " + options().keys[key];
        for (const CallState state : shared.calls[key]) {
            text += kStates[static_cast<std::size_t>(state)];
        }
        if (row.token == 0) {
            text += " no row";
            continue;
        }
        text += " until " + text_of(row.expires) + "#" + std::to_string(row.generation) +
                words_of(row.pending);
    }
    return text;
}

}  // namespace lockkeeper::leases
