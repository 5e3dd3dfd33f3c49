// SPDX-License-Identifier: Apache-2.0

// The write lock: releasing, and what follows when the time-out of an operation is over.
#include "impl/monglock/monglock_rules.hpp"

namespace lockkeeper::monglock {

// Without a timestamp any document matches, also one that has no lock. Who was never granted has
// no token, and no document has that.
bool WriteLock::may_release(const Document& document, const Request& request) const {
    const Field& lock = document.lock;
    if (document.exists == 0 || (repairs(kCheckedRelease) && lock.active != Active::kYes)) {
        return false;
    }
    return (request.any && !repairs(kCheckedRelease)) || rules_->releases(*this, lock, request);
}

bool WriteLock::is_named(const Field& lock, const Request& request) const {
    return repairs(kUniqueIds) ? lock.generation != 0 && lock.generation == request.generation
                               : lock.timestamp != 0 && lock.timestamp == request.timestamp;
}

// Whether it matches. What it was when it was applied stays noted in the call.
bool WriteLock::apply_release(Shared& shared, const Record& record, Call& call, std::size_t key,
                              Event& event) const {
    Document& document = shared.documents[key];
    const bool any = (call.flags & kAny) != 0;
    const Named lock = named(record, call, key);
    if (!may_release(document, {lock.token, lock.generation, any})) {
        call.flags = static_cast<std::uint8_t>((call.flags & kWhichRelease) | kNotMatched);
        return false;
    }
    const bool own = holds(shared, record, key) || is_of(document.lock, record.left[key]) ||
                     is_of(document.lock, lock.generation);
    // Its own first delivery is no loss.
    const bool released_by_itself = (call.flags & (kMatched | kWasLost)) == kMatched;
    const bool was_lost = lock.generation != 0 && !own && !released_by_itself;
    call.flags = static_cast<std::uint8_t>((call.flags & kWhichRelease) | kMatched |
                                           (was_lost ? kWasLost : std::uint8_t{0}));
    set_inactive(document, own, shared.left, event);
    return true;
}

// The same release was late: it is answered as it was then, or is applied now and not once more.
void WriteLock::meet_late(Shared& shared, Record& record, Call& call, std::size_t key) const {
    const Stray stray = shared.stray;
    if (!repairs(kAppliedOnce) || record.has_sent == 0 || stray.key() != key ||
        stray.id != named(record, call, key).generation) {
        return;
    }
    if (stray.is_answer()) {
        const bool matches = stray.what() == Stray::What::kReleased;
        call.flags |= matches ? kMatched : kNotMatched;
        call.flags |= stray.like() != 0 ? kWasLost : std::uint8_t{0};
    }
    if (stray.is_answer() || stray.is_release()) {
        take_back(shared, record);
    }
}

Outcome WriteLock::release(Shared& shared, Record& record, Call& call, const Operation& operation,
                           Event& event) const {
    const std::size_t key = operation.key;
    const OperationFault fault = met(shared.left, operation);
    const bool is_applied = fault != OperationFault::kNotApplied && fault != OperationFault::kLate;
    if (is_applied) {
        meet_late(shared, record, call, key);
    }
    const bool answered = repairs(kAppliedOnce) && (call.flags & (kMatched | kNotMatched)) != 0;
    bool matches = (call.flags & kMatched) != 0;
    if (is_applied && !answered) {
        matches = apply_release(shared, record, call, key, event);
    }
    const bool was_lost = (call.flags & kWasLost) != 0;
    const bool any = (call.flags & kAny) != 0;
    const bool earlier = (call.flags & kEarlier) != 0;
    const Named lock = named(record, call, key);
    record.deadline[key] = earlier ? record.deadline[key] : Instant{0};
    if (fault == OperationFault::kCopied || fault == OperationFault::kLate) {
        let_travel(shared, record, call, operation, lock.token, event);
    }
    if (fault == OperationFault::kSentAgain) {
        return Outcome::kContinues;
    }
    acknowledge(shared.documents[key], fault);
    if (!repairs(kCleanUp) || !repairs(kAppliedOnce)) {
        call.flags &= kWhichRelease;  // else, asked again, it gets the answer that was lost
    }
    if (fault == OperationFault::kNotApplied) {
        return failed_to_release(event);
    }
    if (fault == OperationFault::kAckLost || fault == OperationFault::kLate) {
        return time_limit().wait(shared.now, record, event.caller) ? Outcome::kContinues
                                                                   : failed_to_release(event);
    }
    call.flags &= kWhichRelease;
    if (matches) {
        event.note(Breach::kFalseOk, was_lost);
        return released(record, earlier, key);
    }
    if (any && !repairs(kCheckedRelease)) {
        return fail(Error::kRessourceNotFound, event);
    }
    static_cast<void>(released(record, earlier, key));
    call.at = At::kLookAfterRelease;
    return Outcome::kContinues;
}

Outcome WriteLock::failed_to_release(Event& event) const {
    return repairs(kCleanUp) ? Outcome::kContinues : fail(Error::kDbError, event);
}

// A client that releases with an earlier token goes on believing in the last one.
Outcome WriteLock::released(Record& record, bool earlier, std::size_t key) {
    if (earlier) {
        return Outcome::kDone;
    }
    end_grant(record, key);
    return Outcome::kReleased;
}

// The time-out of the operation is over.
Outcome WriteLock::declare_failure(Record& record, Call& call, std::size_t key,
                                   Event& event) const {
    record.wake = 0;
    switch (call.at) {
        case At::kTake:
            if (rules_->cleans_up_unanswered()) {
                return failed_to_take(record, call, key, event);
            }
            break;
        case At::kRelease: return failed_to_release(event);
        case At::kCleanUp: return Outcome::kContinues;
        default: break;
    }
    leave(record, call, key);
    return fail(Error::kDbError, event);
}

}  // namespace lockkeeper::monglock
