// SPDX-License-Identifier: Apache-2.0

// The lease coordinator: what happens beside the calls, and what it shows.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

void LeaseCoordinator::collect(const Shared& shared, Records<const Record> records, Agenda& agenda,
                               ActionList& out) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Row& row = shared.rows[key];
        if (row.token == 0) {
            continue;
        }
        agenda.next.around(row.deadline - shared.clock);
        if (own_.reaps && is_expired(shared, key)) {
            add(out, 0, Doing::kReap, key);
            agenda.no_later_than(row.deadline - shared.clock + 1 + options().reaper);
        }
    }
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        add_own(agenda, shared, records[caller], caller, out);
    }
}

void LeaseCoordinator::add_own(Agenda& agenda, const Shared& shared, const Record& record,
                               std::size_t caller, ActionList& out) const {
    agenda.next.at(record.wake);
    if (record.by != 0) {
        agenda.due(record.by, 0);
    }
    if (record.waits_until != 0 && (agenda.ends_waits || wait_of(caller) < kForEver)) {
        agenda.due(record.waits_until, options().pause);
    }
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.late_by[key] != 0) {
            add(out, caller, Doing::kLate, key);
            agenda.no_later_than(record.late_by[key]);
        }
        add_renewal(agenda, shared.now, record.renewal[key], caller, key, true, out);
        if (record.deadline[key] != 0) {
            add_due(agenda, shared.now, due(record.deadline[key], record, caller), caller,
                    Doing::kDeadline, key, out);
        }
        if ((record.flags[key] & kTakesBack) != 0) {
            add(out, caller, Doing::kTakeBack, key);
        }
        add_nested(agenda, record, caller, key, out);
    }
}

void LeaseCoordinator::disturbances(const Shared& shared, Records<const Record> records,
                                    ActionList& out) const {
    add_disturbances(
        shared, records, [](const Row& row) { return row.token != 0; }, out);
    bool somebody_waits = false;
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        somebody_waits = somebody_waits || records[caller].waits_until != 0;
        for (std::size_t key = 0; shared.left.hook_failures > 0 && key < keys_count(); ++key) {
            if (records[caller].renewal[key].phase == Phase::kAsked &&
                finds_row(shared, records[caller], key)) {
                add(out, caller, Disturbance::kFailHook, key);
            }
        }
        if (shared.left.client_clock_jumps > 0) {
            add(out, caller, Disturbance::kClientForward, 0);
            add(out, caller, Disturbance::kClientBack, 0);
        }
    }
    for (std::size_t key = 0; shared.left.copies.duplicates() > 0 && key < keys_count(); ++key) {
        if (somebody_waits && shared.notified[key] != 0) {
            add(out, 0, Disturbance::kNotifyAgain, key);
        }
    }
}

void LeaseCoordinator::disturb(Shared& shared, Records<Record> records, std::size_t caller,
                               std::size_t key, Disturbance what, Event&) const {
    Record& record = records[caller];
    switch (what) {
        case Disturbance::kDelete:
            --shared.left.deletions;
            delete_row(shared, key, repairs(kCoReapNotifies));
            return;
        case Disturbance::kFailHook:
            --shared.left.hook_failures;
            record.renewal[key].phase = Phase::kSilent;
            return;
        case Disturbance::kNotifyAgain:  // all who wait hear it once more
            shared.left.copies.spend_duplicate();
            ++shared.notified[key];
            return;
        case Disturbance::kClientForward:
        case Disturbance::kClientBack:
            --shared.left.client_clock_jumps;
            jump(record.clock,
                 what == Disturbance::kClientForward ? options().jump : -options().jump);
            return;
        default: disturb_row(shared, record, key, what); return;
    }
}

void LeaseCoordinator::apply_background(Shared& shared, Records<Record> records, Action action,
                                        Event& event) const {
    own_.rules->background(*this, shared, records, action, event);
}

void LeaseCoordinator::act(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                           Doing what, Event& event) const {
    Renewal& renewal = record.renewal[key];
    switch (what) {
        case Doing::kSend: send(renewal, shared.now, renew_every(caller), caller); return;
        case Doing::kHandle: handle_renewal(shared, record, caller, key, event); return;
        case Doing::kAnswer:
            if (renewal.gone != 0) {
                lose(event, caller, key);
                renewal = {};
                stop(shared, record, key);
                end(record, key);
                return;
            }
            note_answered(record, key);
            record.deadline[key] = kept_deadline(shared, renewal.sent, caller);
            wait_for(renewal, shared.now, renew_every(caller), caller);
            return;
        case Doing::kGiveUp:  // no answer: there is time for another try
            note_unanswered(record, key);
            renewal = {};
            renewal.at = shared.now;
            renewal.phase = Phase::kWaits;
            return;
        case Doing::kDeadline:
            lose(event, caller, key);
            give_up(shared, record, key);
            return;
        case Doing::kTakeBack:
            if (shared.rows[key].token == record.token[key]) {
                delete_row(shared, key);
            }
            record.flags[key] &= static_cast<std::uint8_t>(~kTakesBack);
            return;
        case Doing::kReap: {
            Event unused;
            static_cast<void>(reap(shared, key, 0, unused));
            return;
        }
        case Doing::kCallOn: record.nested[key].make_another(); return;
        case Doing::kNotice:
            nested_writes(shared, record, key, event);
            record.nested[key].innermost_returns();
            forget_ended(record, key);
            return;
        case Doing::kCleanUp: cancellation_arrives(shared, record, key); return;
        case Doing::kLate: insert_late(shared, record, caller, key, event); return;
        case Doing::kCut:
        case Doing::kUnlock: unreachable("what the lease coordinator does");
    }
}

void LeaseCoordinator::handle_renewal(Shared& shared, Record& record, std::size_t caller,
                                      std::size_t key, Event& event) const {
    Renewal& renewal = record.renewal[key];
    const bool there = renew_row(shared, record, caller, key, event);
    const bool ghost = renewal.phase == Phase::kGhost;
    if (ghost && there && (record.flags[key] & kGaveUp) != 0) {
        record.flags[key] |= kOutlasts;
    }
    answer(renewal, shared.now, !there);
    renewal.sent = there && !ghost ? shared.rows[key].deadline : Instant{0};
    if (ghost && record.generation[key] == 0) {
        record.token[key] = 0;
    }
}

// Its nested calls are cancelled by the connection that ends.
void LeaseCoordinator::on_death(Shared& shared, Record& record) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        stop(shared, record, key);
        end(record, key);
    }
    record.wake = 0;
    record.by = 0;
    record.waits_until = 0;
    record.returned = 0;
}

bool LeaseCoordinator::has_under_way(const Record& record) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.renewal[key].under_way() || record.late_by[key] != 0 ||
            record.nested[key].any() || (record.flags[key] & kTakesBack) != 0) {
            return true;
        }
    }
    return false;
}

bool LeaseCoordinator::idle(const Shared&, Records<const Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        if (has_under_way(records[caller])) {
            return false;
        }
    }
    return true;
}

// --- what it shows ---------------------------------------------------------------------------

void LeaseCoordinator::observe(const Shared& shared, Records<const Record> records,
                               Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        KeyObservation& seen = out.keys[key];
        seen.granted = is_granted(shared, key) ? 1 : 0;
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const bool unaware = !who.dead && !who.calling && who.believed[key] == 0 &&
                                 !runs_out(records[caller], key);
            const bool late = records[caller].late_token[key] != 0 && seen.granted != 0;
            if (unaware && (late || holds(shared, records[caller], key)) &&
                !somebody_knows(shared, records, out, key)) {
                ++seen.phantoms;
            }
        }
        // Whoever knows of it can still delete it; nobody else can, and it refuses every acquire.
        const bool stays = shared.rows[key].token != 0 && !own_.is_reaped && !own_.upsert;
        seen.counted_least = seen.counted_most = stays ? 1 : 0;
        seen.counters = {shared.rows[key].token == 0 ? kAbsentCounter
                                                     : told(shared.rows[key].deadline)};
    }
}

// A row that several callers obtained by upserts is no phantom while one of them knows of it.
bool LeaseCoordinator::somebody_knows(const Shared& shared, Records<const Record> records,
                                      const Observation& seen, std::size_t key) const {
    for (std::size_t caller = 0; own_.upsert && caller < seen.callers_count; ++caller) {
        if (seen.callers[caller].believed[key] != 0 && holds(shared, records[caller], key)) {
            return true;
        }
    }
    return false;
}

std::string LeaseCoordinator::describe_step(const Shared& shared, const Record&, const Call& call,
                                            const Operation& operation) const {
    const std::string& key = options().keys[operation.key];
    switch (call.at) {
        case At::kInsert:
            return own_.upsert && shared.rows[call.key].token != 0
                       ? "renew " + key + ", whosever it is, and WillHeartbeat"
                       : "insert " + key + " and WillInsert";
        case At::kListen: return "listen for releases of " + key;
        case At::kWaits:
            return shared.notified[call.key] != call.seen ? "notified: insert " + key
                                                          : "waited long enough for " + key;
        case At::kInsertReply: return "the deadline is returned";
        case At::kHeartbeat: return "heartbeat of " + key;
        case At::kHeartbeatArrives: return "the heartbeat of " + key + " is handled";
        case At::kHeartbeatReply: return "the new deadline is returned";
        case At::kRelease: return "delete " + key + " and WillRelease";
        case At::kWriteReleased: return "the business data, in a second transaction";
        case At::kCleanUp: return "delete what may have been left of " + key;
        case At::kBeginWrite: return "write: a transaction begins under " + key;
        case At::kCommitWrite: return "write: COMMIT";
        case At::kNested: return "make a nested call under " + key;
        case At::kNestedRuns: return "the nested call under " + key + " has ended";
        case At::kReap:
            return ((operation.number & kOfUseCase) == 0 ? "reap the namespace of " + key
                    : own_.use_cases.empty()             ? "reap all namespaces"
                                             : "reap the namespaces of the use case of " + key) +
                   ((operation.number & kWithChildren) != 0 ? " and children" : "");
        case At::kLieDown: return "until " + text_of(shared.now + operation.time());
        case At::kAsleep: return "wake up";
        case At::kNowhere: break;
    }
    return "idle";
}

std::string LeaseCoordinator::describe_background(const Shared&, Records<const Record> records,
                                                  Action action) const {
    if (action.kind == ActionKind::kBackground) {
        const std::string& key = options().keys[key_of(action)];
        const unsigned depth = records[action.actor].nested[key_of(action)].depth();
        switch (doing(action)) {
            case Doing::kNotice:
                return depth == 1 ? "the nested call of @ under " + key + " writes"
                                  : "nested call " + std::to_string(depth) + " of @ under " + key +
                                        " writes";
            case Doing::kCleanUp: return "the cancellation reaches the nested call of @";
            case Doing::kGiveUp: return "@ has no answer for " + key + " and tries again";
            case Doing::kReap: return "reap the namespace of " + key;
            default: break;
        }
    }
    return describe_common(action);
}

std::string LeaseCoordinator::show(const Shared& shared) const {
    std::string text = "time " + text_of(shared.now);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Row& row = shared.rows[key];
        text += "  " + options().keys[key] +
                (row.token == 0
                     ? std::string(" no row")
                     : " until " + text_of(row.deadline) + "#" + std::to_string(row.generation));
    }
    return text;
}

}  // namespace lockkeeper::leases
