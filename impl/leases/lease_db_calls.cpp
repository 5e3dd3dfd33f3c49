// SPDX-License-Identifier: Apache-2.0

// The database leases: asynchronous calls, from the pick to the completion.
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {

// A statement that waits is at the server, and has no answer yet. Within the transaction a lost
// request is as good as a lost answer: there is no COMMIT.
std::uint32_t LeaseDb::faults_of_call(const Shared& shared, const Call& call) const {
    const std::size_t key = call.key;
    Budgets left = shared.left;
    const bool inserts = call.at == At::kInsert || call.at == At::kInsertWaits;
    const bool updates =
        (call.at == At::kMark && finds_call(shared, call)) || call.at == At::kComplete;
    const bool will_wait = (inserts && is_changing(shared.rows[key])) ||
                           (updates && is_call_locked(shared, key, call.attempt));
    const bool completes = call.at == At::kComplete || call.at == At::kCompleteWaits;
    if (will_wait) {
        left.lost_replies = 0;
        left.slow_commits = 0;
    }
    if (call.at == At::kInsertWaits || call.at == At::kMarkWaits || call.at == At::kCompleteWaits) {
        left.lost_requests = 0;
    }
    if (completes || call.at == At::kPickCommit) {
        return left.of_commit();
    }
    const bool draws = inserts && shared.rows[key].token == 0 && draws_random(shared);
    return left.of_message() | (draws ? left.of_token() : 0U);
}

// The next statement of the transaction comes within a delay and a pause.
Outcome LeaseDb::go_on(const Shared& shared, Record& record, Call& call, At at) const {
    record.by = latest(shared);
    call.at = at;
    return Outcome::kContinues;
}

// Without COMMIT.
Outcome LeaseDb::refuse(Shared& shared, Record& record, std::size_t key, Error error,
                        Event& event) const {
    roll_back(shared, record, key);
    end_transaction(record);
    record.by = 0;
    record.flags[key] &= static_cast<std::uint8_t>(~(kWaitsForRow | kWaitsForCall));
    return fail(error, event);
}

void LeaseDb::roll_back(Shared& shared, Record& record, std::size_t key) {
    Row& row = shared.rows[key];
    if (is_locked(shared, record, key) && is_changing(row)) {
        row = row.pending == Pending::kInsert ? Row{} : row;
        row.pending = Pending::kNo;
    }
    unlock_call(shared, record, key);
}

void LeaseDb::lock_call(Shared& shared, Record& record, std::size_t key, std::size_t attempt) {
    record.locks[key] = static_cast<std::uint8_t>(1U << attempt);
    shared.locked_calls[key] |= record.locks[key];
}

void LeaseDb::unlock_call(Shared& shared, Record& record, std::size_t key) {
    shared.locked_calls[key] &= static_cast<std::uint8_t>(~record.locks[key]);
    record.locks[key] = 0;
}

// The COMMIT of an insert, and of what else its transaction has done.
void LeaseDb::make_visible(Shared& shared, Record& record, const Call& call,
                           std::size_t key) const {
    shared.rows[key].pending = Pending::kNo;
    if (calls_) {
        shared.calls[key][call.attempt] = CallState::kExecuting;
        unlock_call(shared, record, key);
    }
}

// --- acquire: the pick -----------------------------------------------------------------------

// a. As old as its snapshot: nobody is kept from picking the same.
Outcome LeaseDb::pick(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const {
    const std::size_t key = operation.key;
    if (met(shared.left, operation) != StepFault::kNone) {
        return fail(Error::kDbError, event);
    }
    const auto& tries = shared.calls[key];
    const bool first = tries[0] == CallState::kPending;
    const bool second = tries[1] == CallState::kPending;
    if (oldest_first_ && !is_oldest(shared, key, first ? 0U : second ? 1U : 2U)) {
        return fail(Error::kOtherCall, event);
    }
    if (!first && !second) {
        return fail(Error::kNoCall, event);
    }
    call.attempt = first ? 0 : 1;
    record.started = shared.now;
    record.jumped = shared.clock;
    return go_on(shared, record, call, At::kInsert);
}

// True: no pending call, as committed, is older. Retries come after first tries, then keys count.
bool LeaseDb::is_oldest(const Shared& shared, std::size_t key, unsigned attempt) const {
    for (std::size_t other = 0; other < keys_count(); ++other) {
        for (unsigned one = 0; one < 2; ++one) {
            const bool is_older = one < attempt || (one == attempt && other < key);
            if (is_older && shared.calls[other][one] == CallState::kPending) {
                return false;
            }
        }
    }
    return true;
}

// For step c: a checked pick only finds, and waits for, a call that is pending as committed.
bool LeaseDb::finds_call(const Shared& shared, const Call& call) const {
    return !repairs(kDbCheckedPick) || shared.calls[call.key][call.attempt] == CallState::kPending;
}

// c.
Outcome LeaseDb::mark(Shared& shared, Record& record, Call& call, const Operation& operation,
                      Event& event) const {
    const std::size_t key = operation.key;
    if (met(shared.left, operation) != StepFault::kNone) {
        return refuse(shared, record, key, Error::kDbError, event);
    }
    const bool found = finds_call(shared, call);
    const bool waits = found && is_call_locked(shared, key, call.attempt);
    set(record.flags[key], kWaitsForCall, waits);
    if (waits) {
        record.by = 0;
        call.at = At::kMarkWaits;
        return Outcome::kContinues;
    }
    if (!found) {
        return refuse(shared, record, key, Error::kNoCall, event);
    }
    lock_call(shared, record, key, call.attempt);
    return go_on(shared, record, call, At::kBeginRenewals);
}

// d.
Outcome LeaseDb::begin_renewals(Shared& shared, Record& record, Call& call, std::size_t key,
                                Event& event) const {
    wait_for(record.renewal[key], shared.now, ttl_of(event.caller) / 2, event.caller);
    return go_on(shared, record, call, At::kPickCommit);
}

// e. Without an answer the renewals go on: of a row that is there, for ever.
Outcome LeaseDb::commit_pick(Shared& shared, Record& record, Call& call, const Operation& operation,
                             Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    record.by = 0;
    if (fault == StepFault::kSlowCommit) {
        call.at = At::kInsertCommit;
        return Outcome::kContinues;
    }
    if (fault == StepFault::kLostRequest) {
        roll_back(shared, record, key);
    } else {
        make_visible(shared, record, call, key);
    }
    if (fault == StepFault::kNone) {
        return inserted(shared, record, call, key, event);
    }
    end_transaction(record);
    return unanswered(call, record.token[key], Error::kDbError, event);
}

// --- complete --------------------------------------------------------------------------------

// Until its COMMIT the call looks to others as it did before, and none of them can change it.
Outcome LeaseDb::begin_to_complete(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    call.attempt = record.attempt[key];
    const bool waits =
        fault != StepFault::kLostRequest && is_call_locked(shared, key, call.attempt);
    set(record.flags[key], kWaitsForCall, waits);
    if (waits) {
        call.at = At::kCompleteWaits;
        return Outcome::kContinues;
    }
    if (fault == StepFault::kSlowCommit) {
        lock_call(shared, record, key, call.attempt);
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
    stop(record, key);
    return unanswered(call, record.token[key], Error::kDbError, event);
}

// By the call's id alone: nobody asks whose lease it is.
Outcome LeaseDb::complete(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    unlock_call(shared, record, key);
    if (repairs(kDbCheckedCompletion) && !holds(shared, record, key)) {
        event.what |= kEffectRefused;
        stop(record, key);
        return unanswered(call, record.token[key], Error::kLeaseLost, event);
    }
    event.what |= kEffect;
    event.note(Breach::kRepeated, shared.done[key] != 0);
    shared.done[key] = 1;
    shared.calls[key][call.attempt] = CallState::kSucceeded;
    call.at = At::kDelete;
    return Outcome::kContinues;
}

}  // namespace lockkeeper::leases
