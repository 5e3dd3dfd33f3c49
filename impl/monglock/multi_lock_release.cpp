// SPDX-License-Identifier: Apache-2.0

// The multi lock: withdrawing, releasing, what follows when the time-out of an operation is over,
// what a look at the document says, writing under the lock.
#include "impl/monglock/monglock_rules.hpp"

namespace lockkeeper::monglock {

Outcome MultiLock::withdraw(Shared& shared, Record& record, Call& call, const Operation& operation,
                            Event& event) const {
    const std::size_t tag = operation.key;
    if (!is_pending(record, tag)) {
        return fail(Error::kLockNotFound, event);
    }
    call.at = At::kRelease;
    return release(shared, record, call, operation, event);
}

Outcome MultiLock::release(Shared& shared, Record& record, Call& call, const Operation& operation,
                           Event& event) const {
    const std::size_t tag = operation.key;
    const OperationFault fault = met(shared.left, operation);
    const bool answered = repairs(kMultiAppliedOnce) && call.answer != 0;
    const bool is_there = answered ? (call.answer & kMatched) != 0
                                   : exists(shared, tag) && may_remove(shared, record, tag);
    // Its own first delivery, of a write lock that is set inactive twice, is no loss.
    const bool released_by_itself = (call.answer & (kMatched | kWasLost)) == kMatched;
    const bool was_lost =
        answered ? (call.answer & kWasLost) != 0
                 : !holds(shared, record, tag) && !is_pending(record, tag) && !released_by_itself;
    if (is_there && !answered && fault != OperationFault::kNotApplied) {
        remove_own(shared, record, tag, event);
    }
    record.deadline[tag] = 0;
    if (fault == OperationFault::kSentAgain || fault == OperationFault::kAckLost) {
        call.answer = is_there ? static_cast<std::uint8_t>(kMatched | (was_lost ? kWasLost : 0))
                               : kNotMatched;
    }
    if (fault == OperationFault::kSentAgain) {
        return Outcome::kContinues;
    }
    acknowledge(shared, tag, fault);
    if (fault == OperationFault::kNone || !repairs(kMultiCleanUp) || !repairs(kMultiAppliedOnce)) {
        call.answer = 0;  // else, asked once more, it gets the answer that was lost
    }
    if (fault == OperationFault::kAckLost && time_limit().wait(shared.now, record, event.caller)) {
        return Outcome::kContinues;
    }
    if (fault != OperationFault::kNone) {
        return failed_to_release(event);
    }
    if (is_there && repairs(kOwnEntry)) {
        call.was_lost = was_lost ? 1 : 0;
        call.at = At::kCheckRelease;
        return Outcome::kContinues;
    }
    lay_aside(record, tag);
    if (!is_there) {
        call.at = At::kLookAfterRelease;
        return Outcome::kContinues;
    }
    return released(was_lost, event);
}

Outcome MultiLock::failed_to_release(Event& event) const {
    return repairs(kMultiCleanUp) ? Outcome::kContinues : fail(Error::kDbError, event);
}

// The time-out of the operation is over.
Outcome MultiLock::declare_failure(Record& record, Call& call, std::size_t tag,
                                   Event& event) const {
    record.wake = 0;
    switch (call.at) {
        case At::kPush:
        case At::kLookAtAssertive:
            if (options_.rules->cleans_up_unanswered()) {
                return unanswered(record, call, tag, event);
            }
            break;
        case At::kRelease: return failed_to_release(event);
        case At::kCleanUp: return Outcome::kContinues;
        case At::kAskAgain: return fail(Error::kDbError, event);
        default: break;
    }
    leave(record, call, tag);
    return fail(Error::kDbError, event);
}

// Whether the entry, now removed, was fresh to the end: the clock after the answer says so.
Outcome MultiLock::check_release(Shared& shared, Record& record, Call& call, std::size_t tag,
                                 Event& event) const {
    const bool was_fresh =
        is_fresh(record.timestamp[tag], tag, clock_of(shared.now, record, event.caller));
    lay_aside(record, tag);
    if (!was_fresh) {
        call.at = At::kLookAfterRelease;
        return Outcome::kContinues;
    }
    return released(call.was_lost != 0, event);
}

Outcome MultiLock::look_after_push(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    const std::size_t tag = operation.key;
    const Error taken = is_write_lock(tag) ? Error::kLockAlreadyTaken : Error::kCooperativeLock;
    const Outcome outcome = look_after(shared, record, call, operation, taken, event);
    if (outcome != Outcome::kContinues) {
        leave(record, call, tag);
    }
    return outcome;
}

Outcome MultiLock::look_after(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Error if_there, Event& event) const {
    return look(shared, record, call, exists(shared, operation.key), if_there,
                repairs(kMultiSettlingReads), operation, event);
}

Outcome MultiLock::write_under(Shared& shared, Record& record, std::size_t tag,
                               Event& event) const {
    const bool is_taken = !repairs(kMultiGuardedWrites) || holds(shared, record, tag);
    if (!is_taken) {
        forget(record, tag);
    }
    return take_effect(is_taken, event);
}

}  // namespace lockkeeper::monglock
