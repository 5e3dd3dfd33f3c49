// SPDX-License-Identifier: Apache-2.0

// The lease coordinator: from the insert to the deadline that is returned, or to what removes what
// it left.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

// Beside those that leave something under way.
std::uint32_t LeaseCoordinator::faults_of_insert_alone(const Shared& shared, Budgets left,
                                                       std::size_t key) const {
    if (shared.rows[key].token != 0 && !own_.upsert) {
        left.lost_replies = 0;
        return left.of_message() | left.of_late_request();
    }
    const bool draws = shared.rows[key].token == 0 && draws_random(shared);
    return left.of_message() | left.of_late_request() | left.of_sending_again() | left.of_hook() |
           (draws ? left.of_token() : 0U);
}

std::uint32_t LeaseCoordinator::faults_of_insert(const Shared& shared, const Record& record,
                                                 const Call& call, std::size_t key) const {
    Budgets left = shared.left;
    if (call.token != 0 && repairs(kCoAppliedOnce)) {
        return left.of_known_request();
    }
    const bool may_travel =
        record.late_by[key] == 0 && record.late_token[key] == 0 && call.token == 0;
    if (!may_travel) {
        left.late_requests = 0;
        return faults_of_insert_alone(shared, left, key);
    }
    // Whoever has answered a request once knows its copy.
    const std::uint32_t copy = repairs(kCoAppliedOnce) ? 0U : left.of_copy();
    return faults_of_insert_alone(shared, left, key) | copy;
}

Outcome LeaseCoordinator::insert(Shared& shared, Record& record, Call& call,
                                 const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    const std::size_t caller = event.caller;
    if (fault == StepFault::kLostRequest || fault == StepFault::kLateRequest) {
        record.waits_until = 0;
        record.returned = 0;
        record.late_by[key] = fault == StepFault::kLateRequest
                                  ? instant(shared.now + options().delay)
                                  : record.late_by[key];
        return unanswered(call, call.token, Error::kDbError, event);
    }
    if (fault == StepFault::kCopied) {
        record.late_by[key] = instant(shared.now + options().delay);
    }
    const Row& row = shared.rows[key];
    const std::uint8_t sent = std::exchange(call.token, std::uint8_t{0});
    if (sent != 0 && repairs(kCoAppliedOnce)) {
        return inserted(shared, record, call, key, event);
    }
    record.returned = 0;
    if (row.token != 0 && !own_.upsert) {
        return conflict(shared, record, call, key, event);
    }
    if (fault == StepFault::kHookFails) {
        record.waits_until = 0;
        return fail(Error::kHookFailed, event);
    }
    if (row.token != 0) {
        record.returned = new_deadline(shared, caller);
        renew_whosever(shared, caller, key, event);
    } else {
        add_row(shared, caller, key, fault == StepFault::kSmallToken, event);
        record.returned = row.deadline;
    }
    record.token[key] = row.token;
    record.generation[key] = row.generation;
    record.flags[key] = 0;
    record.renewal[key] = {};
    record.waits_until = 0;
    if (fault == StepFault::kLostReply) {
        event.value = told(std::exchange(record.returned, Instant{0}));
        return unanswered(call, record.token[key], Error::kDbError, event);
    }
    if (fault == StepFault::kSentAgain) {
        call.token = row.token;
        call.at = At::kInsert;
        return Outcome::kContinues;
    }
    return inserted(shared, record, call, key, event);
}

// The deadline is on its way to the caller.
Outcome LeaseCoordinator::inserted(Shared& shared, Record& record, Call& call, std::size_t key,
                                   Event& event) const {
    event.value = told(record.returned);
    if (options().delay + options().pause == 0) {
        return acquired(shared, record, call, key, event);
    }
    record.by = instant(shared.now + options().delay + options().pause);
    call.at = At::kInsertReply;
    return Outcome::kContinues;
}

void LeaseCoordinator::add_row(Shared& shared, std::size_t caller, std::size_t key, bool small,
                               Event& event) const {
    Row& row = shared.rows[key];
    row.deadline = new_deadline(shared, caller);
    row.generation = shared.tokens.next_generation();
    row.token = own_.rules->draw_token(shared.tokens, small, event);
    run_hook(shared, row, key, event);
}

// WillInsert, WillHeartbeat: business data in the transaction of the row.
void LeaseCoordinator::run_hook(Shared& shared, const Row& author, std::size_t key,
                                Event& event) const {
    if (own_.hooks) {
        static_cast<void>(take_effect(shared.resources[key], author.generation, author.token,
                                      repairs(kCoFencing), true, event));
    }
}

// An upsert of a row that is there: it keeps its lease key.
void LeaseCoordinator::renew_whosever(Shared& shared, std::size_t caller, std::size_t key,
                                      Event& event) const {
    Row& row = shared.rows[key];
    if (own_.rules->upsert_renews()) {
        row.deadline = new_deadline(shared, caller);
    }
    run_hook(shared, row, key, event);
}

// The client takes a late insert for failed: it neither believes to hold nor renews.
void LeaseCoordinator::insert_late(Shared& shared, Record& record, std::size_t caller,
                                   std::size_t key, Event& event) const {
    record.late_by[key] = 0;
    if (shared.rows[key].token == 0) {
        add_row(shared, caller, key, false, event);
        record.late_token[key] = shared.rows[key].token;
    } else if (own_.upsert) {
        renew_whosever(shared, caller, key, event);
    }
}

Outcome LeaseCoordinator::conflict(Shared& shared, Record& record, Call& call, std::size_t key,
                                   Event& event) const {
    const std::int32_t wait = wait_of(event.caller);
    if (wait == 0) {
        return fail(Error::kConflict, event);
    }
    if (record.waits_until == 0) {
        // A caller that waits for ever is stuck when nothing else can come; others are not.
        const std::int32_t end = wait >= kForEver ? kInstantMax : kBeginning + options().until;
        record.waits_until = instant(std::min(shared.now + wait, end));
    }
    call.seen = shared.notified[key];
    call.at = repairs(kCoListenFirst) ? At::kWaits : At::kListen;
    return Outcome::kContinues;
}

Outcome LeaseCoordinator::wait_over(Shared& shared, Record& record, Call& call,
                                    const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    if (shared.notified[key] != call.seen) {
        call.seen = 0;
        return insert(shared, record, call, operation, event);
    }
    record.waits_until = 0;
    return fail(Error::kTimedOut, event);
}

Outcome LeaseCoordinator::acquired(Shared& shared, Record& record, Call& call, std::size_t key,
                                   Event& event) const {
    record.by = 0;
    const Instant returned = std::exchange(record.returned, Instant{0});
    const Instant deadline = kept_deadline(shared, returned, event.caller);
    if (shared.now >= due(deadline, record, event.caller)) {
        return unanswered(call, record.token[key], Error::kLeaseLost, event);
    }
    record.deadline[key] = deadline;
    if (own_.module) {
        wait_for(record.renewal[key], shared.now, renew_every(event.caller), event.caller);
    }
    return Outcome::kAcquired;
}

}  // namespace lockkeeper::leases
