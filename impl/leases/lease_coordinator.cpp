// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/lease_coordinator.hpp"

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

const LeaseCoordinatorRules kSoundLeaseCoordinatorRules;

void LeaseCoordinator::begin(const Operation& operation, Call& call) const {
    call.key = operation.key;
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kInsert; return;
        case Verb::kRelease: call.at = At::kRelease; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<LeaseCoordinatorCall>(operation.word)) {
        case LeaseCoordinatorCall::kWrite: call.at = At::kBeginWrite; return;
        case LeaseCoordinatorCall::kHeartbeat: call.at = At::kHeartbeat; return;
        case LeaseCoordinatorCall::kNested: call.at = At::kNested; return;
        case LeaseCoordinatorCall::kReap: call.at = At::kReap; return;
        case LeaseCoordinatorCall::kReleaseFail: call.at = At::kRelease; return;
    }
}

std::uint32_t LeaseCoordinator::faults_of(const Shared& shared, const Record& record,
                                          const Call& call, const Operation& operation) const {
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kInsert: return faults_of_insert(shared, record, call, key);
        case At::kWaits:  // notified: it inserts again
            return shared.notified[key] != call.seen ? faults_of_insert(shared, record, call, key)
                                                     : 0U;
        case At::kHeartbeat:
            return options().delay == 0 ? faults_of_heartbeat(shared, record, key) : 0U;
        case At::kHeartbeatArrives: return faults_of_heartbeat(shared, record, key);
        case At::kRelease:
            return call.token != 0 && repairs(kCoAppliedOnce)
                       ? shared.left.of_known_request()
                       : shared.left.of_message() | shared.left.of_sending_again() |
                             (finds_row(shared, record, key) ? shared.left.of_hook() : 0U);
        case At::kCleanUp: return shared.left.of_message();
        default: return 0;
    }
}

Outcome LeaseCoordinator::step(Shared& shared, Record& record, Call& call,
                               const Operation& operation, Event& event) const {
    return own_.rules->step(*this, shared, record, call, operation, event);
}

Outcome LeaseCoordinator::sound_step(Shared& shared, Record& record, Call& call,
                                     const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kInsert: return insert(shared, record, call, operation, event);
        case At::kListen:
            call.seen = shared.notified[key];
            call.at = At::kWaits;
            return Outcome::kContinues;
        case At::kWaits: return wait_over(shared, record, call, operation, event);
        case At::kInsertReply: return acquired(shared, record, call, key, event);
        case At::kHeartbeat: return send_heartbeat(shared, record, call, operation, event);
        case At::kHeartbeatArrives: return heartbeat(shared, record, call, operation, event);
        case At::kHeartbeatReply: return heartbeat_answered(shared, record, key, event);
        case At::kRelease: return release(shared, record, call, operation, event);
        case At::kCleanUp: return clean_up(shared, record, call, operation, event);
        case At::kBeginWrite:
            call.token = record.token[key];
            call.generation = record.generation[key];
            record.by = instant(shared.now + own_.transaction);
            call.at = At::kCommitWrite;
            return Outcome::kContinues;
        case At::kCommitWrite: return commit_write(shared, record, call, key, event);
        case At::kNested: return call_nested(record, call, operation);
        case At::kNestedRuns: return Outcome::kDone;
        case At::kReap: return reap(shared, key, operation.number, event);
        case At::kLieDown: return lie_down(shared, record, call, operation);
        case At::kAsleep: return wake_up(record);
        case At::kWriteReleased:
        case At::kNowhere: break;
    }
    unreachable("a label of the lease coordinator");
}

// --- heartbeat, release ----------------------------------------------------------------------

Outcome LeaseCoordinator::send_heartbeat(Shared& shared, Record& record, Call& call,
                                         const Operation& operation, Event& event) const {
    if (options().delay == 0) {
        return heartbeat(shared, record, call, operation, event);
    }
    record.by = instant(shared.now + options().delay);
    call.at = At::kHeartbeatArrives;
    return Outcome::kContinues;
}

bool LeaseCoordinator::is_expired(const Shared& shared, std::size_t key) const {
    const Row& row = shared.rows[key];
    return row.token != 0 && own_.rules->is_expired(row.deadline, database_time(shared), options());
}

Instant LeaseCoordinator::new_deadline(const Shared& shared, std::size_t caller) const {
    const std::int32_t ahead = own_.rules->expiry_clock(shared.clock, options().clients[caller]);
    return instant(shared.now + ahead + ttl_of(caller));
}

Instant LeaseCoordinator::kept_deadline(const Shared& shared, Instant returned,
                                        std::size_t caller) const {
    return own_.rules->kept_deadline(returned, shared.now + options().clients[caller].clock,
                                     ttl_of(caller));
}

// False: there is no row with its lease key.
bool LeaseCoordinator::renew_row(Shared& shared, const Record& record, std::size_t caller,
                                 std::size_t key, Event& event) const {
    if (!finds_row(shared, record, key)) {
        return false;
    }
    Row& row = shared.rows[key];
    row.deadline = new_deadline(shared, caller);
    run_hook(shared, row, key, event);
    return true;
}

Outcome LeaseCoordinator::heartbeat(Shared& shared, Record& record, Call& call,
                                    const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    record.by = 0;
    if (fault == StepFault::kHookFails) {
        return fail(Error::kHookFailed, event);
    }
    const bool there =
        fault != StepFault::kLostRequest && renew_row(shared, record, event.caller, key, event);
    if (there && (record.flags[key] & kGaveUp) != 0) {
        extended_late(record, key);
    }
    if (fault != StepFault::kNone) {
        note_unanswered(record, key);
        return fail(Error::kDbError, event);
    }
    record.returned = there ? shared.rows[key].deadline : Instant{0};
    if (options().delay + options().pause == 0) {
        return heartbeat_answered(shared, record, key, event);
    }
    record.by = instant(shared.now + options().delay + options().pause);
    call.at = At::kHeartbeatReply;
    return Outcome::kContinues;
}

Outcome LeaseCoordinator::heartbeat_answered(Shared& shared, Record& record, std::size_t key,
                                             Event& event) const {
    record.by = 0;
    const Instant deadline = std::exchange(record.returned, Instant{0});
    if ((record.flags[key] & kGaveUp) != 0) {  // while the answer was on its way
        if (deadline != 0) {
            extended_late(record, key);
        }
        return Outcome::kLost;
    }
    // The module may have heard in between that the row is gone, and does not hold any more.
    if (deadline == 0 || record.generation[key] == 0) {
        stop(shared, record, key);
        end(record, key);
        return Outcome::kLost;
    }
    note_answered(record, key);
    record.deadline[key] = kept_deadline(shared, deadline, event.caller);
    event.value = told(deadline);
    return Outcome::kDone;
}

// The holder holds no longer: nothing is renewed, and what was called under the lease is cancelled.
void LeaseCoordinator::stop(const Shared& shared, Record& record, std::size_t key) const {
    leave(record.renewal[key]);
    record.deadline[key] = 0;
    cancel_nested(shared, record, key);
}

// At its own deadline. The row runs out by itself after the grace, if no request extends it.
void LeaseCoordinator::give_up(const Shared& shared, Record& record, std::size_t key) const {
    const Phase renewal = record.renewal[key].phase;
    const bool unanswered = (record.flags[key] & kUnanswered) != 0 ||
                            (renewal != Phase::kNone && renewal != Phase::kWaits);
    const Row& row = shared.rows[key];
    const bool outlasts = !own_.upsert && row.token != 0 && row.token == record.token[key] &&
                          row.deadline > record.deadline[key];
    stop(shared, record, key);
    record.flags[key] |= outlasts ? kGaveUp | kOutlasts : kGaveUp;
    record.flags[key] |= unanswered && cleans_up() ? kTakesBack : std::uint8_t{0};
}

// By a request that was under way when its sender gave the row up.
void LeaseCoordinator::extended_late(Record& record, std::size_t key) const {
    record.flags[key] |= kOutlasts;
    record.flags[key] |= cleans_up() ? kTakesBack : std::uint8_t{0};
}

void LeaseCoordinator::end(Record& record, std::size_t key) {
    record.generation[key] = 0;
    record.flags[key] = 0;
    if (record.renewal[key].phase != Phase::kGhost) {
        record.token[key] = 0;
    }
}

void LeaseCoordinator::delete_row(Shared& shared, std::size_t key, bool notifies) const {
    if (shared.rows[key].token == 0) {
        return;
    }
    shared.rows[key] = {};
    if (notifies) {
        ++shared.notified[key];
    }
}

Outcome LeaseCoordinator::release(Shared& shared, Record& record, Call& call,
                                  const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const StepFault fault = met(shared.left, operation);
    stop(shared, record, key);
    const bool sent_before = call.token != 0;
    if (sent_before && repairs(kCoAppliedOnce) && fault == StepFault::kNone) {
        return released(record, call, key, event);
    }
    if (fault == StepFault::kLostRequest || fault == StepFault::kHookFails) {
        const bool lost = fault == StepFault::kLostRequest;
        call.generation = 0;
        return unanswered(call, record.token[key], lost ? Error::kDbError : Error::kHookFailed,
                          event);
    }
    const Row row = shared.rows[key];
    const bool own = row.token != 0 && row.token == record.token[key];
    const bool matches = own_.rules->deletes(row, record.token[key]);
    const bool valid = holds(shared, record, key);
    if (repairs(kCoCheckedRelease) && !matches) {
        end(record, key);
        return fail(Error::kLeaseLost, event);
    }
    event.note(Breach::kForeignRemoval, matches && is_granted(shared, key) && !own);
    if (matches) {
        delete_row(shared, key);
    }
    // The business data, in the same transaction. World compares an effect with what the record
    // says afterwards: of a valid grant that ends with this very step it must not hear.
    Event written;
    static_cast<void>(take_effect(shared.resources[key], record.generation[key], record.token[key],
                                  repairs(kCoFencing), true, written));
    event.what |= valid ? 0U : written.what;
    event.note(Breach::kStale, written.is(Breach::kStale));
    if (fault == StepFault::kLostReply) {
        call.generation = 0;
        return unanswered(call, record.token[key], Error::kDbError, event);
    }
    if (fault == StepFault::kSentAgain) {
        call.generation = sent_before ? call.generation : record.flags[key] & kInterrupted;
        call.token = record.token[key];
        return Outcome::kContinues;
    }
    return released(record, call, key, event);
}

// That the row was away when it was sent again is its own doing.
Outcome LeaseCoordinator::released(Record& record, const Call& call, std::size_t key,
                                   Event& event) const {
    const bool was_lost =
        call.token != 0 ? call.generation != 0 : (record.flags[key] & kInterrupted) != 0;
    event.note(Breach::kFalseOk, was_lost);
    end(record, key);
    return Outcome::kReleased;
}

// --- under the lease, reaping ------------------------------------------------------------------

Outcome LeaseCoordinator::commit_write(Shared& shared, Record& record, Call& call, std::size_t key,
                                       Event& event) const {
    record.by = 0;
    const bool allowed = !repairs(kCoGuardedWrites) || holds(shared, record, key);
    if (take_effect(shared.resources[key], call.generation, call.token, repairs(kCoFencing),
                    allowed, event)) {
        return Outcome::kDone;
    }
    stop(shared, record, key);
    end(record, key);
    return Outcome::kLost;
}

// Namespaces are lists: a child begins with all of its parent's elements.
bool LeaseCoordinator::covers(std::size_t parent, std::size_t key, bool with_children) const {
    const auto& outer = own_.namespaces[parent];
    const auto& inner = own_.namespaces[key];
    return outer.size() <= inner.size() && std::equal(outer.begin(), outer.end(), inner.begin()) &&
           (with_children || outer.size() == inner.size());
}

// The namespaces that are asked for: that of `parent`, or those of all keys of its use case.
bool LeaseCoordinator::is_reaped(std::size_t key, std::size_t parent, unsigned how) const {
    const bool with_children = (how & kWithChildren) != 0;
    for (std::size_t named = 0; named < keys_count(); ++named) {
        const bool is_asked_for = named == parent || ((how & kOfUseCase) != 0 &&
                                                      use_case_of(named) == use_case_of(parent));
        if (is_asked_for && covers(named, key, with_children)) {
            return true;
        }
    }
    return false;
}

// One transaction for all of the namespaces.
Outcome LeaseCoordinator::reap(Shared& shared, std::size_t parent, unsigned asked_for,
                               Event& event) const {
    const unsigned how = own_.rules->reaping(asked_for);
    std::int32_t reaped = 0;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (is_expired(shared, key) && is_reaped(key, parent, how)) {
            delete_row(shared, key, repairs(kCoReapNotifies));
            ++reaped;
        }
    }
    event.value = reaped;
    return Outcome::kDone;
}

}  // namespace lockkeeper::leases
