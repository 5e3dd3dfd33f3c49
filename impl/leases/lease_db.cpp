// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/lease_db.hpp"

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

const LeaseDbRules kSoundLeaseDbRules;

LeaseDb::Shared LeaseDb::initial_shared() const {
    auto shared = at_the_beginning<Shared>();
    for (std::size_t key = 0; calls_ && key < keys_count(); ++key) {
        shared.calls[key][0] = CallState::kPending;
    }
    return shared;
}

void LeaseDb::begin(const Operation& operation, Call& call) const {
    call.key = operation.key;
    switch (operation.verb) {
        case Verb::kAcquire: call.at = calls_ ? At::kPick : At::kInsert; return;
        case Verb::kRelease: call.at = At::kDelete; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<LeaseDbCall>(operation.word)) {
        case LeaseDbCall::kWrite: call.at = At::kSendWrite; return;
        case LeaseDbCall::kComplete: call.at = At::kComplete; return;
        case LeaseDbCall::kHang: call.at = At::kHang; return;
        case LeaseDbCall::kDeleteRow: call.at = At::kDeleteRow; return;
        case LeaseDbCall::kReapRows: call.at = At::kReapRows; return;
    }
}

bool LeaseDb::blocked(const Shared& shared, const Record& record, const Call& call) const {
    if (is_orphaned(shared, call)) {
        return false;
    }
    switch (call.at) {
        case At::kAsleep: return shared.now < record.wake;
        case At::kInsertWaits: return is_changing(shared.rows[call.key]);
        case At::kDeleteWaits: return shared.rows[call.key].pending == Pending::kShared;
        case At::kCleanUp: return cleaning_waits(shared, record, call);
        case At::kMarkWaits:
        case At::kCompleteWaits: return is_call_locked(shared, call.key, call.attempt);
        case At::kReapRows: return reaper_waits(shared);
        default: return false;
    }
}

std::uint32_t LeaseDb::faults_of(const Shared& shared, const Record& record, const Call& call,
                                 const Operation&) const {
    if (is_orphaned(shared, call)) {
        return 0;
    }
    switch (call.at) {
        case At::kInsert:
        case At::kInsertWaits:
            return calls_ ? faults_of_call(shared, call) : faults_of_insert(shared, record, call);
        case At::kPick:
        case At::kMark:
        case At::kMarkWaits:
        case At::kPickCommit:
        case At::kComplete:
        case At::kCompleteWaits: return faults_of_call(shared, call);
        case At::kDelete:
        case At::kDeleteWaits: return faults_of_delete(shared, record, call);
        case At::kCleanUp: return shared.left.of_message();
        default: return 0;
    }
}

Outcome LeaseDb::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const {
    return rules_->step(*this, shared, record, call, operation, event);
}

Outcome LeaseDb::sound_step(Shared& shared, Record& record, Call& call, const Operation& operation,
                            Event& event) const {
    const std::size_t key = operation.key;
    if (is_orphaned(shared, call)) {
        return orphaned(record, call, key, event);
    }
    ask_controller(shared, call, event.caller);
    switch (call.at) {
        case At::kPick: return pick(shared, record, call, operation, event);
        case At::kInsert:
        case At::kInsertWaits: return insert(shared, record, call, operation, event);
        case At::kMark:
        case At::kMarkWaits: return mark(shared, record, call, operation, event);
        case At::kBeginRenewals: return begin_renewals(shared, record, call, key, event);
        case At::kPickCommit: return commit_pick(shared, record, call, operation, event);
        case At::kInsertCommit:
            make_visible(shared, record, call, key);
            return inserted(shared, record, call, key, event);
        case At::kInsertReply: return acquired(shared, record, call, key, event);
        case At::kDelete:
        case At::kDeleteWaits: return remove(shared, record, call, operation, event);
        case At::kDeleteCommit: shared.rows[key] = {}; return removed(record, key, event);
        case At::kCleanUp: return clean_up(shared, record, call, operation, event);
        case At::kSendWrite:
            call.token = record.token[key];
            call.generation = record.generation[key];
            if (!takes_time()) {
                return write(shared, record, call, key, event);
            }
            record.by = latest(shared);
            call.at = At::kWriteArrives;
            return Outcome::kContinues;
        case At::kWriteArrives: return write(shared, record, call, key, event);
        case At::kComplete:
        case At::kCompleteWaits: return begin_to_complete(shared, record, call, operation, event);
        case At::kCompleteCommit: return complete(shared, record, call, key, event);
        case At::kHang: leave(record.renewal[key]); return Outcome::kDone;
        case At::kDeleteRow:
            if (shared.rows[key].pending == Pending::kNo) {
                shared.rows[key] = {};
            }
            return Outcome::kDone;
        case At::kReapRows: reap(shared); return Outcome::kDone;
        case At::kLieDown: return lie_down(shared, record, call, operation);
        case At::kAsleep: return wake_up(record);
        case At::kNowhere: break;
    }
    unreachable("a label of the database leases");
}

// --- release -------------------------------------------------------------------------------

void LeaseDb::end(Record& record, std::size_t key) {
    stop(record, key);
    record.generation[key] = 0;
    record.attempt[key] = 0;
    record.flags[key] = 0;
    if (!record.renewal[key].is_ghost()) {
        record.token[key] = 0;
    }
}

// The same faults as of an insert: a delete that waits has arrived, and has no answer yet.
std::uint32_t LeaseDb::faults_of_delete(const Shared& shared, const Record& record,
                                        const Call& call) {
    Budgets left = shared.left;
    const Row& row = shared.rows[call.key];
    if (call.at == At::kDeleteWaits) {
        left.lost_requests = 0;
    } else if (row.pending == Pending::kShared && row.token == record.token[call.key]) {
        left.lost_replies = 0;
        left.slow_commits = 0;
    }
    return left.of_commit();
}

Outcome LeaseDb::remove(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    Row& row = shared.rows[key];
    stop(record, key);
    const bool matches = rules_->deletes(row, record.token[key]);
    if (fault == StepFault::kLostRequest) {
        return unanswered(call, record.token[key], Error::kDbError, event);
    }
    event.note(Breach::kForeignRemoval,
               matches && is_granted(shared, row) && row.generation != record.generation[key]);
    const bool waits = matches && row.pending == Pending::kShared;
    set(record.flags[key], kWaitsForRow, waits);
    if (waits) {
        call.at = At::kDeleteWaits;
        return Outcome::kContinues;
    }
    if (matches && fault == StepFault::kSlowCommit) {
        row.pending = Pending::kDelete;
        call.at = At::kDeleteCommit;
        return Outcome::kContinues;
    }
    if (matches) {
        row = {};
    }
    if (fault == StepFault::kLostReply) {
        return unanswered(call, record.token[key], Error::kDbError, event);
    }
    if (matches) {
        return removed(record, key, event);
    }
    end(record, key);
    return fail(Error::kLeaseLost, event);
}

Outcome LeaseDb::removed(Record& record, std::size_t key, Event& event) const {
    event.note(Breach::kFalseOk, (record.flags[key] & kInterrupted) != 0);
    end(record, key);
    return Outcome::kReleased;
}

// --- under the lease -------------------------------------------------------------------------

Outcome LeaseDb::write(Shared& shared, Record& record, Call& call, std::size_t key,
                       Event& event) const {
    record.by = 0;
    const bool allowed = !repairs(kDbGuardedWrites) || rules_->guards(*this, shared, record, key);
    if (!take_effect(shared.resources[key], call.generation, call.token, repairs(kDbFencing),
                     allowed, event)) {
        // The row, if it is there, stays: whoever lost it does not renew it.
        stop(record, key);
        if (repairs(kDbCleanUp) && record.token[key] != 0) {
            record.flags[key] |= kCleaning;
        }
        return Outcome::kLost;
    }
    return Outcome::kDone;
}

}  // namespace lockkeeper::leases
