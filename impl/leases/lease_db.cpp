#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {

LeaseDb::Shared LeaseDb::initial_shared() const {
    Shared shared{};
    shared.now = kBeginning;
    shared.left = options().faults;
    shared.tokens.restart();
    for (std::size_t key = 0; calls_ && key < keys_count(); ++key) {
        shared.calls[key][0] = CallState::kPending;
    }
    return shared;
}

void LeaseDb::begin(const Operation& operation, Call& call) const {
    call.key = operation.key;
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kInsert; return;
        case Verb::kRelease: call.at = At::kDelete; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<LeaseDbCall>(operation.word)) {
        case LeaseDbCall::kWrite: call.at = At::kSendWrite; return;
        case LeaseDbCall::kComplete: call.at = At::kComplete; return;
        case LeaseDbCall::kHang: call.at = At::kHang; return;
        case LeaseDbCall::kDeleteRow: call.at = At::kDeleteRow; return;
    }
}

std::uint32_t LeaseDb::faults_of(const Shared& shared, const Record&, const Call& call,
                                 const Operation&) const {
    switch (call.at) {
        case At::kInsert:
        case At::kInsertWaits: return faults_of_insert(shared, call);
        case At::kDelete:
        case At::kComplete: return shared.left.of_commit();
        case At::kCleanUp: return shared.left.of_message();
        default: return 0;
    }
}

Outcome LeaseDb::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const {
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kInsert:
        case At::kInsertWaits: return insert(shared, record, call, key, event);
        case At::kInsertCommit:
            shared.rows[key].pending = Pending::kNo;
            return inserted(shared, record, call, key, event);
        case At::kInsertReply: return acquired(shared, record, call, key, event);
        case At::kDelete: return remove(shared, record, call, key, event);
        case At::kDeleteCommit: shared.rows[key] = {}; return removed(record, key, event);
        case At::kCleanUp: return clean_up(shared, record, call, key, event);
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
        case At::kComplete: return begin_to_complete(shared, record, call, key, event);
        case At::kCompleteCommit: return complete(shared, record, call, key, event);
        case At::kHang: leave(record.renewal[key]); return Outcome::kDone;
        case At::kDeleteRow:
            if (shared.rows[key].pending == Pending::kNo) {
                shared.rows[key] = {};
            }
            return Outcome::kDone;
        case At::kLieDown:
            record.wake = wake_at(shared.now, operation.number);
            call.at = At::kAsleep;
            return Outcome::kContinues;
        case At::kAsleep: record.wake = 0; return Outcome::kDone;
        case At::kNowhere: break;
    }
    unreachable("a label of the database leases");
}

// The row of an acquisition is away although nobody has released it.
void LeaseDb::watch(const Shared& shared, Records<Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        Record& record = records[caller];
        for (std::size_t key = 0; key < keys_count(); ++key) {
            if (record.generation[key] != 0 &&
                shared.rows[key].generation != record.generation[key]) {
                record.flags[key] |= kInterrupted;
            }
        }
    }
}

// --- acquire -------------------------------------------------------------------------------

// As committed: what an uncommitted pick has marked is still pending for everybody else.
bool LeaseDb::is_pending(const Shared& shared, std::size_t key, std::size_t attempt) {
    const Row& row = shared.rows[key];
    const bool being_picked =
        row.token != 0 && row.pending == Pending::kInsert && row.attempt == attempt;
    return being_picked || shared.calls[key][attempt] == CallState::kPending;
}

int LeaseDb::pending_attempt(const Shared& shared, std::size_t key) {
    return is_pending(shared, key, 0) ? 0 : is_pending(shared, key, 1) ? 1 : -1;
}

// What waited is at the server already: its request cannot be lost any more.
std::uint32_t LeaseDb::faults_of_insert(const Shared& shared, const Call& call) const {
    Budgets left = shared.left;
    if (call.at == At::kInsertWaits) {
        left.lost_requests = 0;
    }
    const bool nothing_to_do = calls_ && pending_attempt(shared, call.key) < 0;
    if (shared.rows[call.key].token != 0 || nothing_to_do) {
        left.lost_replies = 0;
        return left.of_message();
    }
    return left.of_commit() | (draws_random(shared) ? left.of_token() : 0U);
}

Outcome LeaseDb::insert(Shared& shared, Record& record, Call& call, std::size_t key,
                        Event& event) const {
    if (ttl_of(event.caller) < kTtlLeast) {
        return fail(Error::kTtlTooShort, event);
    }
    const StepFault fault = met(shared.left, event);
    if (fault == StepFault::kLostRequest) {
        return fail(Error::kDbError, event);
    }
    if (call.at == At::kInsert) {
        const int picked = calls_ ? pending_attempt(shared, key) : 0;
        if (picked < 0) {
            return fail(Error::kNoCall, event);
        }
        call.attempt = static_cast<std::uint8_t>(picked);
        record.started = shared.now;
        record.jumped = shared.clock;
    }
    if (shared.rows[key].pending != Pending::kNo) {
        call.at = At::kInsertWaits;
        return Outcome::kContinues;
    }
    const bool taken = shared.rows[key].token != 0;
    if (taken || (calls_ && !is_pending(shared, key, call.attempt))) {
        end_transaction(record);
        return fail(taken ? Error::kConflict : Error::kNoCall, event);
    }
    add_row(shared, record, call, key, fault, event);
    if (fault == StepFault::kSlowCommit) {
        call.at = At::kInsertCommit;
        return Outcome::kContinues;
    }
    if (fault == StepFault::kLostReply) {
        end_transaction(record);
        record.renewal[key] = {};
        return unanswered(call, Error::kDbError, event);
    }
    return inserted(shared, record, call, key, event);
}

// Its time is the database's clock at the transaction's start, wherever that clock is by now.
void LeaseDb::add_row(Shared& shared, Record& record, const Call& call, std::size_t key,
                      StepFault fault, Event& event) const {
    const std::size_t caller = event.caller;
    Row& row = shared.rows[key];
    row.expires = instant(record.started + record.jumped + ttl_of(caller));
    row.generation = shared.tokens.next_generation();
    row.token = shared.tokens.draw(fault == StepFault::kSmallToken, event);
    if (has(LeaseDbBug::kRestartsTokens)) {
        event.what |= row.generation > 1 ? std::uint32_t{kTokenRepeated} : 0U;
        row.token = Tokens::kMiddle + 1;
    }
    row.pending = fault == StepFault::kSlowCommit ? Pending::kInsert : Pending::kNo;
    record.token[key] = row.token;
    record.generation[key] = row.generation;
    record.flags[key] = 0;
    record.renewal[key] = {};
    event.value = row.expires - kBeginning;
    if (calls_) {
        row.attempt = call.attempt;
        shared.calls[key][row.attempt] = CallState::kExecuting;
        record.attempt[key] = row.attempt;
        wait_for(record.renewal[key], shared.now, ttl_of(caller) / 2, caller);
    }
}

Outcome LeaseDb::inserted(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    if (!takes_time()) {
        return acquired(shared, record, call, key, event);
    }
    record.by = latest(shared);
    call.at = At::kInsertReply;
    return Outcome::kContinues;
}

Outcome LeaseDb::acquired(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    const std::size_t caller = event.caller;
    const Instant started = end_transaction(record);
    record.by = 0;
    const std::int32_t due = started + timer(caller, ttl_of(caller) - options().grace);
    const bool too_late = repairs(kDbOwnDeadline) && shared.now >= due;
    // The renewals of a pick have begun. Where they have ended, what is left of them may travel.
    const Phase renewal = record.renewal[key].phase;
    const bool lost_already = calls_ && (renewal == Phase::kNone || renewal == Phase::kGhost);
    if (too_late || lost_already) {
        leave(record.renewal[key]);
        return unanswered(call, Error::kLeaseLost, event);
    }
    if (repairs(kDbOwnDeadline)) {
        record.deadline[key] = instant(due);
    }
    if (!calls_) {
        wait_for(record.renewal[key], shared.now, ttl_of(caller) / 2, caller);
    }
    return Outcome::kAcquired;
}

Instant LeaseDb::end_transaction(Record& record) {
    record.jumped = 0;
    return std::exchange(record.started, Instant{0});
}

// Nobody knows whether the row is there.
Outcome LeaseDb::unanswered(Call& call, Error cause, Event& event) const {
    if (!repairs(kDbCleanUp)) {
        return fail(cause, event);
    }
    call.at = At::kCleanUp;
    call.cause = static_cast<std::uint8_t>(cause);
    return Outcome::kContinues;
}

Outcome LeaseDb::clean_up(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    const StepFault fault = met(shared.left, event);
    if (fault != StepFault::kLostRequest && shared.rows[key].token == record.token[key]) {
        shared.rows[key] = {};
    }
    if (fault != StepFault::kNone) {
        return Outcome::kContinues;
    }
    end(record, key);
    return fail(static_cast<Error>(call.cause), event);
}

// --- release -------------------------------------------------------------------------------

void LeaseDb::end(Record& record, std::size_t key) {
    leave(record.renewal[key]);
    record.deadline[key] = 0;
    record.generation[key] = 0;
    record.attempt[key] = 0;
    record.flags[key] = 0;
    if (record.renewal[key].phase != Phase::kGhost) {
        record.token[key] = 0;
    }
}

Outcome LeaseDb::remove(Shared& shared, Record& record, Call& call, std::size_t key,
                        Event& event) const {
    const StepFault fault = met(shared.left, event);
    Row& row = shared.rows[key];
    leave(record.renewal[key]);
    record.deadline[key] = 0;
    if (has(LeaseDbBug::kForgetsToDelete)) {
        return Outcome::kReleased;
    }
    const bool own = row.token != 0 && row.token == record.token[key];
    const bool matches = own || (row.token != 0 && has(LeaseDbBug::kReleasesByKey));
    if (fault == StepFault::kLostRequest) {
        return unanswered(call, Error::kDbError, event);
    }
    if (matches && is_granted(shared, row) && row.generation != record.generation[key]) {
        event.what |= kForeignRemoval;
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
        return unanswered(call, Error::kDbError, event);
    }
    if (matches || has(LeaseDbBug::kIgnoresRowCount)) {
        return removed(record, key, event);
    }
    end(record, key);
    return fail(Error::kLeaseLost, event);
}

Outcome LeaseDb::removed(Record& record, std::size_t key, Event& event) const {
    if ((record.flags[key] & kInterrupted) != 0) {
        event.what |= kFalseOk;
    }
    end(record, key);
    return Outcome::kReleased;
}

// --- under the lease -------------------------------------------------------------------------

Outcome LeaseDb::write(Shared& shared, Record& record, Call& call, std::size_t key,
                       Event& event) const {
    record.by = 0;
    Resource& resource = shared.resources[key];
    const bool some_row = shared.rows[key].token != 0;
    const bool allowed = !repairs(kDbGuardedWrites) ||
                         (has(LeaseDbBug::kGuardsByKey) ? some_row : holds(shared, record, key));
    if (!take_effect(resource, call.generation, call.token, repairs(kDbFencing), allowed, event)) {
        // The row, if it is there, stays: whoever lost it does not renew it.
        leave(record.renewal[key]);
        record.deadline[key] = 0;
        if (repairs(kDbCleanUp) && record.token[key] != 0) {
            record.flags[key] |= kCleaning;
        }
        return Outcome::kLost;
    }
    if (has(LeaseDbBug::kKeepsOldFence)) {
        resource.fence = 0;
    }
    return Outcome::kDone;
}

// Until its COMMIT the call looks to others as it did before, and none of them can change it.
Outcome LeaseDb::begin_to_complete(Shared& shared, Record& record, Call& call, std::size_t key,
                                   Event& event) const {
    const StepFault fault = met(shared.left, event);
    call.attempt = record.attempt[key];
    if (fault == StepFault::kSlowCommit) {
        record.completes[key] = static_cast<std::uint8_t>(1U << call.attempt);
        shared.being_completed[key] |= record.completes[key];
        call.at = At::kCompleteCommit;
        return Outcome::kContinues;
    }
    if (fault == StepFault::kNone) {
        return complete(shared, record, call, key, event);
    }
    if (fault == StepFault::kLostReply) {
        complete(shared, record, call, key, event);
    }
    // An error, and nobody knows which state the call is in: its executor goes away.
    leave(record.renewal[key]);
    record.deadline[key] = 0;
    return unanswered(call, Error::kDbError, event);
}

// By the call's id alone: nobody asks whose lease it is.
Outcome LeaseDb::complete(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    shared.being_completed[key] &= static_cast<std::uint8_t>(~record.completes[key]);
    record.completes[key] = 0;
    if (repairs(kDbCheckedCompletion) && !holds(shared, record, key)) {
        event.what |= kEffectRefused;
        leave(record.renewal[key]);
        record.deadline[key] = 0;
        return unanswered(call, Error::kLeaseLost, event);
    }
    shared.calls[key][call.attempt] = CallState::kSucceeded;
    event.what |= kEffect;
    call.at = At::kDelete;
    return Outcome::kContinues;
}

}  // namespace lockkeeper::leases
