// SPDX-License-Identifier: Apache-2.0

// The database leases: from the insert to its acknowledgement, or to what removes what it left.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

// An insert that waited is at the server already: its request cannot be lost any more.
std::uint32_t LeaseDb::faults_of_insert(const Shared& shared, const Record& record,
                                        const Call& call) const {
    Budgets left = shared.left;
    if (call.token != 0 && repairs(kDbAppliedOnce)) {
        return left.of_known_request();
    }
    const bool is_new = call.at == At::kInsert && call.token == 0;
    const bool may_travel =
        is_new && record.late_by[call.key] == 0 && record.late_token[call.key] == 0;
    if (!may_travel) {
        left.late_requests = 0;
    }
    // With applied_once, a server that has answered an insert recognises its copy.
    const std::uint32_t copy = may_travel && !repairs(kDbAppliedOnce) ? left.of_copy() : 0U;
    if (call.at == At::kInsertWaits) {
        left.lost_requests = 0;
        left.late_requests = 0;
    }
    if (shared.rows[call.key].token != 0) {
        left.lost_replies = 0;
        return left.of_message() | left.of_late_request() | copy;
    }
    const bool is_sent_again = call.at == At::kInsert;
    return left.of_commit() | left.of_late_request() | copy |
           (is_sent_again ? left.of_sending_again() : 0U) |
           (draws_random(shared) ? left.of_token() : 0U);
}

Outcome LeaseDb::insert(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t key = operation.key;
    if (told_in(options().time_unit, ttl_of(event.caller)) < kTtlLeast) {
        return refuse(shared, record, key, Error::kTtlTooShort, event);
    }
    const StepFault fault = met(shared.left, operation);
    if (calls_ && (fault == StepFault::kLostRequest || fault == StepFault::kLostReply)) {
        return refuse(shared, record, key, Error::kDbError, event);
    }
    const std::uint8_t sent_before = std::exchange(call.token, std::uint8_t{0});
    if (fault == StepFault::kLateRequest || fault == StepFault::kCopied) {
        record.late_by[key] = instant(shared.now + options().delay);
    }
    if (fault == StepFault::kLostRequest || fault == StepFault::kLateRequest) {
        end_transaction(record);
        return unanswered(call, sent_before, Error::kDbError, event);
    }
    if (sent_before != 0 && repairs(kDbAppliedOnce)) {
        return inserted(shared, record, call, key, event);
    }
    if (call.at == At::kInsert && !calls_) {
        record.started = shared.now;
        record.jumped = shared.clock;
    }
    const bool waits = is_changing(shared.rows[key]);
    set(record.flags[key], kWaitsForRow, waits);
    if (waits) {
        call.at = At::kInsertWaits;
        record.by = 0;
        return Outcome::kContinues;
    }
    if (shared.rows[key].token != 0) {
        return refuse(shared, record, key, Error::kConflict, event);
    }
    add_row(shared, record, call, key, fault, event);
    if (calls_) {
        return go_on(shared, record, call, At::kMark);
    }
    if (fault == StepFault::kSlowCommit) {
        call.at = At::kInsertCommit;
        return Outcome::kContinues;
    }
    if (fault == StepFault::kSentAgain) {
        call.token = record.token[key];
        return Outcome::kContinues;
    }
    if (fault == StepFault::kLostReply) {
        end_transaction(record);
        record.renewal[key] = {};
        return unanswered(call, record.token[key], Error::kDbError, event);
    }
    return inserted(shared, record, call, key, event);
}

// Its time is the database's clock at the transaction's start, wherever that clock is by now.
void LeaseDb::add_row(Shared& shared, Record& record, const Call& call, std::size_t key,
                      StepFault fault, Event& event) const {
    const std::size_t caller = event.caller;
    Row& row = shared.rows[key];
    const std::int32_t ahead = rules_->expiry_clock(record.jumped, options().clients[caller]);
    row.expires = instant(record.started + ahead + ttl_of(caller));
    number(shared, row, fault == StepFault::kSmallToken, event);
    row.pending = calls_ || fault == StepFault::kSlowCommit ? Pending::kInsert : Pending::kNo;
    record.token[key] = row.token;
    record.generation[key] = row.generation;
    record.flags[key] = 0;
    record.renewal[key] = {};
    record.attempt[key] = call.attempt;
    event.value = told(row.expires);
}

void LeaseDb::number(Shared& shared, Row& row, bool small, Event& event) const {
    row.generation = shared.tokens.next_generation();
    row.token = rules_->draw_token(shared.tokens, small, event);
}

// Its client takes it for failed: nobody believes, and nobody renews.
void LeaseDb::insert_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                          Event& event) const {
    record.late_by[key] = 0;
    Row& row = shared.rows[key];
    if (row.token != 0) {
        return;  // a conflict, which nobody reads
    }
    row.expires = instant(expiry(shared, caller));
    number(shared, row, false, event);
    record.late_token[key] = row.token;
}

std::int32_t LeaseDb::own_deadline(const Shared& shared, Instant sent, std::size_t caller) const {
    return rules_->deadline_from(sent, shared.now) +
           timer(caller, ttl_of(caller) - options().grace);
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
    const std::int32_t due = own_deadline(shared, started, caller);
    const bool too_late = repairs(kDbOwnDeadline) && shared.now >= due;
    // The renewals of a pick have begun. Where they have ended, what is left of them may travel.
    const Phase renewal = record.renewal[key].phase;
    const bool lost_already = calls_ && (renewal == Phase::kNone || record.renewal[key].is_ghost());
    if (too_late || lost_already) {
        leave(record.renewal[key]);
        return unanswered(call, record.token[key], Error::kLeaseLost, event);
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

}  // namespace lockkeeper::leases
