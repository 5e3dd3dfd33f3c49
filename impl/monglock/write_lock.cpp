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
    goes_by_key_ = tells_no_tokens();
}

std::size_t WriteLock::period_of(std::size_t caller, const Operation& operation) const {
    const bool is_given = operation.verb == Verb::kAcquire && operation.number != 0;
    const auto found = std::find(periods_.begin(), periods_.end(), operation.time());
    return is_given ? static_cast<std::size_t>(found - periods_.begin())
                    : periods_of_clients_[caller].front();
}

bool WriteLock::keeps_writes() const { return repairs(kKeptWrites) && rules_->asks_for_majority(); }
bool WriteLock::asks_for_majority(const Budgets& left) const {
    return rules_->asks_for_majority() && ClientSide::asks_for_majority(left) && !keeps_writes();
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

std::uint32_t WriteLock::faults_of(const Shared& shared, const Record& record, const Call& call,
                                   const Operation& operation) const {
    if (TimeLimit::waits(record, call)) {
        return 0;
    }
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
    if (TimeLimit::waits(record, call)) {
        return declare_failure(record, call, key, event);
    }
    switch (call.at) {
        case At::kReadClock:
            record.reading = clock_of(shared.now, record, event.caller);
            call.at = At::kTake;
            return Outcome::kContinues;
        case At::kTake: return take(shared, record, call, operation, event);
        case At::kLookAfterTake: return look_after_take(shared, record, call, operation, event);
        case At::kRelease: return release(shared, record, call, operation, event);
        case At::kLookAfterRelease:
            return look_after(shared, record, call, operation, Error::kLockWasReacquired, event);
        case At::kCheckClock: return check_clock(shared, record, call, key, event);
        case At::kCleanUp: return clean_up(shared, record, call, operation, event);
        case At::kWrite: return write_under(shared, record, key, event);
        case At::kLieDown:
            return sleep_until(end_of_wait(shared.now + operation.time()), record, call);
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
        return unanswered_take(shared, record, call, key, event);
    }
    if (matches && !answered) {
        grant(shared, call, reading, key, event);
    }
    acknowledge(shared.documents[key], fault);
    if (fault == OperationFault::kCopied) {
        let_travel(shared, record, call, operation, reading, event);
    }
    if (fault == OperationFault::kAckLost) {
        return unanswered_take(shared, record, call, key, event);
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

Outcome WriteLock::unanswered_take(const Shared& shared, Record& record, Call& call,
                                   std::size_t key, Event& event) const {
    call.flags = 0;
    return time_limit().wait(shared.now, record, event.caller)
               ? Outcome::kContinues
               : failed_to_take(record, call, key, event);
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
    acknowledge(document, fault);
    if (fault != OperationFault::kNone) {
        static_cast<void>(fault == OperationFault::kAckLost &&
                          time_limit().wait(shared.now, record, event.caller));
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
    const Outcome outcome =
        look_after(shared, record, call, operation, Error::kLockAlreadyTaken, event);
    if (outcome != Outcome::kContinues) {
        leave(record, call, key);
    }
    return outcome;
}

// --- reading, writing under the lock ---------------------------------------------------------

Outcome WriteLock::look_after(Shared& shared, Record& record, Call& call,
                              const Operation& operation, Error if_there, Event& event) const {
    return look(shared, record, call, shared.documents[operation.key].exists != 0, if_there,
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
