// SPDX-License-Identifier: Apache-2.0
#include "impl/monglock/write_lock.hpp"

#include <algorithm>
#include <utility>

#include "impl/monglock/monglock_rules.hpp"
#include "model/check.hpp"

namespace lockkeeper::monglock {

const WriteLockRules kSoundWriteLockRules;

WriteLock::WriteLock(const WriteLockOptions& options)
    : ClientSide(options),
      rules_(options.rules),
      lock_timeout_(options.lock_timeout),
      keeps_earlier_(options.keeps_earlier),
      repairs_(options.repairs) {
    const auto number_of = [&](std::int32_t period) {
        const auto found = std::find(periods_.begin(), periods_.end(), period);
        const auto number = static_cast<std::size_t>(found - periods_.begin());
        if (found == periods_.end()) {
            periods_.push_back(period);
        }
        return number;
    };
    for (const Client& client : options.clients) {
        auto& own = periods_of_clients_.emplace_back();
        own.push_back(number_of(client.lock_timeout == 0 ? lock_timeout_ : client.lock_timeout));
        for (const std::int32_t period : client.call_timeouts) {
            own.push_back(number_of(period));
        }
    }
}

std::size_t WriteLock::period_of(std::size_t caller, const Operation& operation) const {
    const bool is_given = operation.verb == Verb::kAcquire && operation.number != 0;
    const auto found = std::find(periods_.begin(), periods_.end(), operation.time());
    return is_given ? static_cast<std::size_t>(found - periods_.begin())
                    : periods_of_clients_[caller].front();
}

WriteLock::Shared WriteLock::initial_shared() const {
    Shared shared{};
    for (std::size_t key = 0; key < keys_count(); ++key) {
        shared.documents[key].exists = common().exists ? 1 : 0;
    }
    shared.now = kBeginning;
    shared.left = common().faults;
    return shared;
}

void WriteLock::begin(const Operation& operation, Call& call) const {
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kReadClock; return;
        case Verb::kRelease: call.at = At::kRelease; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<WriteLockCall>(operation.word)) {
        case WriteLockCall::kWrite: call.at = At::kWrite; return;
        case WriteLockCall::kReleaseAny: call.flags = kAny; break;
        case WriteLockCall::kReleaseEarlier: call.flags = kEarlier; break;
    }
    call.at = At::kRelease;
}

std::uint32_t WriteLock::faults_of(const Shared& shared, const Record&, const Call& call,
                                   const Operation& operation) const {
    switch (call.at) {
        case At::kTake:
        case At::kRelease: return shared.left.faults_of_request(shared.stray.is_none());
        case At::kCleanUp: return shared.left.faults_of_update();
        case At::kLookAfterTake:
        case At::kLookAfterRelease:
            return shared.left.faults_of_read(
                is_deleted(shared.documents[operation.key].exists != 0));
        default: return 0;
    }
}

Outcome WriteLock::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    return rules_->step(*this, shared, record, call, operation, event);
}

Outcome WriteLock::sound_step(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kReadClock:
            record.reading = clock_of(shared.now, record, event.caller);
            call.at = At::kTake;
            return Outcome::kContinues;
        case At::kTake: return take(shared, record, call, operation, event);
        case At::kLookAfterTake: return look_after_take(shared, record, call, operation, event);
        case At::kRelease: return release(shared, record, call, operation, event);
        case At::kLookAfterRelease:
            return look_after(shared, call, operation, Error::kLockWasReacquired, event);
        case At::kCheckClock: return check_clock(shared, record, call, key, event);
        case At::kCleanUp: return clean_up(shared, record, call, operation, event);
        case At::kWrite: return write_under(shared, record, key, event);
        case At::kLieDown: return sleep_until(instant(shared.now + operation.time()), record, call);
        case At::kAsleep: return wake_up(record);
        case At::kForEver:
        case At::kNowhere: break;
    }
    unreachable("a label of the write lock");
}

// --- acquire -------------------------------------------------------------------------------

bool WriteLock::may_take(const Document& document, Instant reading, std::size_t period) const {
    return document.exists != 0 && rules_->is_free(document.lock, reading - periods_[period]);
}

Outcome WriteLock::take(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t key = operation.key;
    const OperationFault fault = met(shared.left, operation);
    const Instant reading = std::exchange(record.reading, Instant{0});
    if (record.has_sent == 0 && !is_of(shared.documents[key].lock, record.left[key])) {
        record.left[key] = 0;
    }
    const bool answered = repairs(kAppliedOnce) && (call.flags & (kMatched | kNotMatched)) != 0;
    const bool matches =
        answered ? (call.flags & kMatched) != 0
                 : may_take(shared.documents[key], reading, period_of(event.caller, operation));
    if (fault == OperationFault::kNotApplied) {
        return failed_to_take(record, call, key, event);
    }
    if (fault == OperationFault::kLate) {
        let_travel(shared, record, call, operation, reading, event);
        return failed_to_take(record, call, key, event);
    }
    if (matches && !answered) {
        grant(shared, call, reading, key, event);
    }
    if (fault == OperationFault::kCopied) {
        let_travel(shared, record, call, operation, reading, event);
    }
    if (fault == OperationFault::kAckLost) {
        return failed_to_take(record, call, key, event);
    }
    if (fault == OperationFault::kSentAgain) {
        record.reading = reading;
        call.flags = matches ? kMatched : kNotMatched;
        return Outcome::kContinues;
    }
    call.flags = 0;
    if (!matches) {
        call.at = At::kLookAfterTake;
        return Outcome::kContinues;
    }
    if (repairs(kOwnDeadline)) {
        record.reading = reading;
        call.at = At::kCheckClock;
        return Outcome::kContinues;
    }
    return acquired(record, call, key);
}

Outcome WriteLock::acquired(Record& record, const Call& call, std::size_t key) const {
    if (keeps_earlier_) {
        record.earlier_token[key] = record.token[key];
        record.earlier_generation[key] = record.generation[key];
    }
    record.token[key] = call.token;
    record.generation[key] = static_cast<std::uint8_t>(call.id);
    record.left[key] = 0;
    return Outcome::kAcquired;
}

// The update may have taken so long that the deadline has passed already.
Outcome WriteLock::check_clock(Shared& shared, Record& record, Call& call, std::size_t key,
                               Event& event) const {
    const Instant taken_at = std::exchange(record.reading, Instant{0});
    const Instant now = clock_of(shared.now, record, event.caller);
    const Instant deadline = deadline_of(rules_->deadline_from(taken_at, now), lock_timeout_);
    if (now < deadline) {
        record.deadline[key] = deadline;
        return acquired(record, call, key);
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

std::uint8_t WriteLock::next_generation(Document& document) const {
    if (document.generations == 0xFF) {
        throw LimitExceeded("more than 255 acquisitions of one document");
    }
    return ++document.generations;
}

Instant WriteLock::token_for(const Document& document, Instant timestamp) const {
    const bool grows = repairs(kMonotoneTokens) && document.lock.active != Active::kAbsent;
    return rules_->token(grows ? std::max<Instant>(timestamp, document.lock.timestamp + 1)
                               : timestamp);
}

void WriteLock::grant(Shared& shared, Call& call, Instant timestamp, std::size_t key,
                      Event& event) const {
    Document& document = shared.documents[key];
    timestamp = token_for(document, timestamp);
    event.note(Breach::kTokenRepeated,
               document.lock.active != Active::kAbsent && timestamp <= document.lock.timestamp);
    call.id = call.id == 0 ? next_generation(document) : call.id;
    call.token = timestamp;
    write(document, {timestamp, Active::kYes, static_cast<std::uint8_t>(call.id)}, shared.left);
    event.value = told(timestamp);
}

Outcome WriteLock::failed_to_take(Record& record, Call& call, std::size_t key, Event& event) const {
    call.flags = 0;
    if (!repairs(kCleanUp)) {
        leave(record, call, key);
        return fail(Error::kDbError, event);
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

// Again and again, until the database says that it is done.
Outcome WriteLock::clean_up(Shared& shared, Record& record, const Call& call,
                            const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const OperationFault fault = met(shared.left, operation);
    Document& document = shared.documents[key];
    if (fault != OperationFault::kNotApplied && is_of(document.lock, call.id)) {
        rules_->remove_left(*this, document, shared.left);
    }
    if (fault != OperationFault::kNone) {
        return Outcome::kContinues;
    }
    const bool comes = is_coming(shared, record, call, key);
    if (comes && repairs(kAppliedOnce)) {
        take_back(shared, record);
    } else if (comes || is_of(document.lock, call.id)) {
        leave(record, call, key);
    }
    return fail(Error::kDbError, event);
}

Outcome WriteLock::look_after_take(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    const Outcome outcome = look_after(shared, call, operation, Error::kLockAlreadyTaken, event);
    if (outcome != Outcome::kContinues) {
        leave(record, call, key);
    }
    return outcome;
}

// --- release -------------------------------------------------------------------------------

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
    const bool is_answered = fault == OperationFault::kNone || fault == OperationFault::kCopied;
    if (!is_answered && repairs(kCleanUp) && repairs(kAppliedOnce)) {
        return Outcome::kContinues;  // asked again, it gets the answer that was lost
    }
    call.flags &= kWhichRelease;
    if (!is_answered) {
        return repairs(kCleanUp) ? Outcome::kContinues : fail(Error::kDbError, event);
    }
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

// Who releases with an earlier token goes on believing in the last one.
Outcome WriteLock::released(Record& record, bool earlier, std::size_t key) {
    if (earlier) {
        return Outcome::kDone;
    }
    end_grant(record, key);
    return Outcome::kReleased;
}

// --- reading, writing under the lock ---------------------------------------------------------

Outcome WriteLock::look_after(Shared& shared, Call& call, const Operation& operation,
                              Error if_there, Event& event) const {
    return look(shared.left, call, shared.documents[operation.key].exists != 0, if_there,
                repairs(kSettlingReads), operation, event);
}

Outcome WriteLock::write_under(Shared& shared, Record& record, std::size_t key,
                               Event& event) const {
    const bool is_taken = !repairs(kGuardedWrites) || rules_->guards(*this, shared, record, key);
    if (!is_taken) {
        forget(record, key);
    }
    return take_effect(is_taken, event);
}

}  // namespace lockkeeper::monglock
