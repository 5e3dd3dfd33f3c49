// SPDX-License-Identifier: Apache-2.0
#include "impl/monglock/multi_lock.hpp"

#include <algorithm>

#include "impl/monglock/monglock_rules.hpp"

namespace lockkeeper::monglock {

const MultiLockRules kSoundMultiLockRules;

MultiLock::MultiLock(const MultiLockOptions& options) : ClientSide(options), options_(options) {
    for (const std::uint8_t document : options.documents) {
        documents_count_ = std::max(documents_count_, document + std::size_t{1});
    }
}

MultiLock::Shared MultiLock::initial_shared() const {
    Shared shared{};
    const unsigned all = (1U << documents_count()) - 1U;
    shared.exists = static_cast<DocumentSet>(common().exists ? all : 0U);
    shared.now = kBeginning;
    shared.left = common().faults;
    return shared;
}

void MultiLock::begin(const Operation& operation, Call& call) const {
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kReadClock; return;
        case Verb::kRelease: call.at = At::kRelease; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<MultiLockCall>(operation.word)) {
        case MultiLockCall::kAskAgain: call.at = At::kAsk; return;
        case MultiLockCall::kWrite: call.at = At::kWrite; return;
        case MultiLockCall::kWithdraw: call.at = At::kWithdraw; return;
    }
}

std::uint32_t MultiLock::faults_of(const Shared& shared, const Record& record, const Call& call,
                                   const Operation& operation) const {
    const std::size_t tag = operation.key;
    if (TimeLimit::waits(record, call)) {
        return 0;
    }
    switch (call.at) {
        case At::kWithdraw:
            return is_pending(record, tag) ? shared.left.faults_of_request(false) : 0;
        case At::kPush:
            return shared.left.faults_of_request(shared.stray.is_none() && !is_write_lock(tag));
        case At::kRelease: return shared.left.faults_of_request(false);
        case At::kCleanUp: return shared.left.faults_of_update();
        case At::kReadClock:
            return asks_again(record, operation) && !asks_by_clock() ? faults_of_sight(shared, tag)
                                                                     : 0;
        case At::kAsk:
            return can_ask(record, tag) && !asks_by_clock() ? faults_of_sight(shared, tag) : 0;
        case At::kLookAtAssertive:
        case At::kAskAgain: return faults_of_sight(shared, tag);
        case At::kLookAfterPush:
        case At::kLookAfterRelease:
            return shared.left.faults_of_read(is_deleted(exists(shared, tag)));
        default: return 0;
    }
}

Outcome MultiLock::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t tag = operation.key;
    if (TimeLimit::waits(record, call)) {
        return declare_failure(record, call, tag, event);
    }
    switch (call.at) {
        case At::kReadClock:
            if (has_bit(options_.unknown, tag)) {
                return fail(Error::kTypeError, event);
            }
            if (asks_again(record, operation)) {
                return ask(shared, record, call, operation, event);
            }
            read_clock(shared, record, call, tag, event);
            return Outcome::kContinues;
        case At::kReadTimestamp:
            read_timestamp(shared, record, call, event);
            return Outcome::kContinues;
        case At::kPush: return push(shared, record, call, operation, event);
        case At::kLookAfterPush: return look_after_push(shared, record, call, operation, event);
        case At::kReadClockAgain: return read_clock_again(shared, record, call, tag, event);
        case At::kLookAtAssertive: return look_at_assertive(shared, record, call, operation, event);
        case At::kAsk: return ask(shared, record, call, operation, event);
        case At::kAskAgain: return ask_again(shared, record, call, operation, event);
        case At::kCheckClock: return check_clock(shared, record, call, tag, event);
        case At::kWithdraw: return withdraw(shared, record, call, operation, event);
        case At::kRelease: return release(shared, record, call, operation, event);
        case At::kCheckRelease: return check_release(shared, record, call, tag, event);
        case At::kLookAfterRelease:
            return look_after(shared, record, call, operation,
                              is_write_lock(tag) ? Error::kLockWasReacquired : Error::kLockNotFound,
                              event);
        case At::kCleanUp: return clean_up(shared, record, call, operation, event);
        case At::kWrite: return write_under(shared, record, tag, event);
        case At::kLieDown:
            return sleep_until(end_of_wait(shared.now + operation.time()), record, call);
        case At::kAsleep: return wake_up(record);
        case At::kForEver:
        case At::kNowhere: break;
    }
    unreachable("a label of the multi lock");
}

// --- acquire -------------------------------------------------------------------------------

void MultiLock::forget(Record& record, std::size_t tag) {
    record.timestamp[tag] = 0;
    record.deadline[tag] = 0;
    record.id[tag] = 0;
    record.pending = without(without(record.pending, tag), Size::kKeys + tag);
}

// It has been released.
void MultiLock::lay_aside(Record& record, std::size_t tag) const {
    if (!options_.keeps_released || record.id[tag] == 0) {
        forget(record, tag);
        return;
    }
    record.deadline[tag] = 0;
    record.pending = with(without(record.pending, tag), Size::kKeys + tag);
}

// The client knows of the call's lock from now on. Of another one that it had it knows no more.
void MultiLock::receive(Record& record, const Call& call, std::size_t tag) {
    forget(record, tag);
    record.id[tag] = static_cast<std::uint8_t>(call.id);
    record.timestamp[tag] = call.timestamp;
}

void MultiLock::read_clock(const Shared& shared, Record& record, Call& call, std::size_t tag,
                           const Event& event) const {
    if (options_.cooperative[tag] == 0) {
        read_timestamp(shared, record, call, event);
        return;
    }
    record.asked = clock_of(shared.now, record, event.caller);
    call.at = At::kReadTimestamp;
}

void MultiLock::read_timestamp(const Shared& shared, Record& record, Call& call,
                               const Event& event) const {
    record.reading = clock_of(shared.now, record, event.caller);
    call.at = At::kPush;
}

bool MultiLock::may_push(const Shared& shared, std::size_t tag, const Readings& readings,
                         std::size_t caller) const {
    if (!exists(shared, tag)) {
        return false;
    }
    return is_write_lock(tag)
               ? may_take(shared, tag, readings.timestamp, caller)
               : options_.rules->may_push(
                     all_free(shared.lock, options_.cooperative[tag], readings.judged_by, caller));
}

Outcome MultiLock::push(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t tag = operation.key;
    const OperationFault fault = met(shared.left, operation);
    const Readings readings{std::exchange(record.asked, Instant{0}),
                            std::exchange(record.reading, Instant{0})};
    if (record.has_sent == 0 && find(shared.lock, tag, record.left[tag]) == nullptr) {
        record.left[tag] = 0;
    }
    const bool answered = repairs(kMultiAppliedOnce) && call.answer != 0;
    const bool matches =
        answered ? call.answer == kMatched : may_push(shared, tag, readings, event.caller);
    const bool is_applied = fault != OperationFault::kNotApplied && fault != OperationFault::kLate;
    if (matches && !answered && is_applied) {
        call.id = call.id == 0 ? next_id(shared) : call.id;
        call.timestamp = readings.timestamp;
        add_entry(shared, {readings.timestamp, static_cast<std::uint8_t>(call.id), 0}, tag);
        note_let_in(shared, call, tag, options_.cooperative[tag]);
    }
    if (fault == OperationFault::kCopied || fault == OperationFault::kLate) {
        let_travel(shared, record, call, readings, operation, event);
    }
    if (fault == OperationFault::kSentAgain) {
        record.asked = readings.judged_by;
        record.reading = readings.timestamp;
        call.answer = matches ? kMatched : std::max(call.answer, kNotMatched);
        return Outcome::kContinues;
    }
    call.answer = 0;
    acknowledge(shared, tag, fault);
    if (fault == OperationFault::kNotApplied) {
        return unanswered(record, call, tag, event);
    }
    if (fault != OperationFault::kNone && fault != OperationFault::kCopied) {
        return time_limit().wait(shared.now, record, event.caller)
                   ? Outcome::kContinues
                   : unanswered(record, call, tag, event);
    }
    if (matches && is_write_lock(tag)) {
        return believe(shared, record, call, tag);
    }
    call.at = matches ? At::kReadClockAgain : At::kLookAfterPush;
    return Outcome::kContinues;
}

// The update failed: nobody knows whether it was applied.
Outcome MultiLock::unanswered(Record& record, Call& call, std::size_t tag, Event& event) const {
    if (!repairs(kMultiCleanUp)) {
        leave(record, call, tag);
        return fail(Error::kDbError, event);
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

Outcome MultiLock::clean_up(Shared& shared, Record& record, const Call& call,
                            const Operation& operation, Event& event) const {
    const std::size_t tag = operation.key;
    const OperationFault fault = met(shared.left, operation);
    if (fault != OperationFault::kNotApplied) {
        remove(shared, tag, call.id);
    }
    acknowledge(shared, tag, fault);
    if (fault != OperationFault::kNone) {
        static_cast<void>(fault == OperationFault::kAckLost &&
                          time_limit().wait(shared.now, record, event.caller));
        return Outcome::kContinues;
    }
    const bool comes = is_coming(shared, record, call, tag);
    if (comes && repairs(kMultiAppliedOnce)) {
        take_back(shared, record);
    } else if (comes) {
        leave(record, call, tag);
    }
    if (record.id[tag] == call.id) {
        forget(record, tag);
    }
    return fail(call.after_clean_up == Error::kNone ? Error::kDbError : call.after_clean_up, event);
}

Outcome MultiLock::look_at_assertive(Shared& shared, Record& record, Call& call,
                                     const Operation& operation, Event& event) const {
    const std::size_t tag = operation.key;
    const Instant now = std::exchange(record.asked, Instant{0});
    const Sight sight = read_document(shared, operation);
    if (sight.failed) {
        if (repairs(kMultiSettlingReads)) {
            return time_limit().wait(shared.now, record, event.caller)
                       ? Outcome::kContinues
                       : unanswered(record, call, tag, event);
        }
        call.at = At::kForEver;
        return Outcome::kContinues;
    }
    if (repairs(kOwnEntry) && !sees_own_entry(sight, call, tag)) {
        call.at = At::kCleanUp;  // a replica has not seen it
        return Outcome::kContinues;
    }
    if (sight.exists && all_free(sight.lock, options_.assertive[tag], now, event.caller)) {
        return free_of_assertive(shared, record, call, tag);
    }
    receive(record, call, tag);
    record.pending = with(record.pending, tag);
    return fail(Error::kAssertiveLock, event);
}

Outcome MultiLock::ask(Shared& shared, Record& record, Call& call, const Operation& operation,
                       Event& event) const {
    const std::size_t tag = operation.key;
    if (!can_ask(record, tag)) {
        return fail(Error::kLockNotFound, event);
    }
    call.id = record.id[tag];
    call.timestamp = record.timestamp[tag];
    call.at = At::kAskAgain;
    if (!asks_by_clock()) {
        return ask_again(shared, record, call, operation, event);
    }
    return read_clock_again(shared, record, call, tag, event);
}

// A holder knows by its own clock.
Outcome MultiLock::ask_while_holding(Record& record, bool is_fresh, std::size_t tag, Event& event) {
    if (is_fresh) {
        return Outcome::kDone;
    }
    forget(record, tag);
    event.what |= kLost;
    return fail(Error::kLockNotFound, event);
}

// Only what is compared later is kept.
Outcome MultiLock::read_clock_again(Shared& shared, Record& record, Call& call, std::size_t tag,
                                    Event& event) const {
    const bool asks = call.at == At::kAskAgain;
    const Instant now = clock_of(shared.now, record, event.caller);
    const bool is_fresh_still = is_fresh(call.timestamp, tag, now);
    if (repairs(kOwnEntry) && asks && is_believed(record, tag)) {
        return ask_while_holding(record, is_fresh_still, tag, event);
    }
    if (repairs(kOwnEntry) && !is_fresh_still) {
        call.after_clean_up = asks ? Error::kLockNotFound : Error::kDbError;
        call.at = At::kCleanUp;  // it has taken too long
        return Outcome::kContinues;
    }
    const bool compares = options_.assertive[tag] != 0 && (!asks || repairs(kCurrentClock));
    record.asked = compares ? now : Instant{0};
    call.at = asks ? At::kAskAgain : At::kLookAtAssertive;
    return Outcome::kContinues;
}

Outcome MultiLock::ask_again(Shared& shared, Record& record, Call& call, const Operation& operation,
                             Event& event) const {
    const std::size_t tag = operation.key;
    const Instant reading = std::exchange(record.asked, Instant{0});
    const Sight sight = read_document(shared, operation);
    if (sight.failed) {
        return time_limit().wait(shared.now, record, event.caller) ? Outcome::kContinues
                                                                   : fail(Error::kDbError, event);
    }
    if (repairs(kOwnEntry) && !sees_own_entry(sight, call, tag)) {
        call.after_clean_up = Error::kLockNotFound;
        call.at = At::kCleanUp;
        return Outcome::kContinues;
    }
    const Instant now = repairs(kCurrentClock) ? reading : call.timestamp;
    if (sight.exists && all_free(sight.lock, options_.assertive[tag], now, event.caller)) {
        return free_of_assertive(shared, record, call, tag);
    }
    return fail(Error::kAssertiveLock, event);
}

bool MultiLock::sees_own_entry(const Sight& sight, const Call& call, std::size_t tag) {
    return sight.exists && find(sight.lock, tag, call.id) != nullptr;
}

void MultiLock::note_let_in(Shared& shared, const Call& call, std::size_t tag,
                            TagSet asked_for) const {
    Entry* own = find(shared.lock, tag, call.id);
    if (own != nullptr && any_granted_one_way(shared, tag, asked_for)) {
        own->granted |= kLetIn;
    }
}

Outcome MultiLock::free_of_assertive(Shared& shared, Record& record, Call& call,
                                     std::size_t tag) const {
    note_let_in(shared, call, tag, options_.assertive[tag]);
    if (record.id[tag] == call.id && is_believed(record, tag)) {
        return Outcome::kDone;  // it has asked again while it holds
    }
    return believe(shared, record, call, tag);
}

Outcome MultiLock::believe(Shared& shared, Record& record, Call& call, std::size_t tag) const {
    if (!repairs(kMultiOwnDeadline)) {
        return give(shared, record, call, tag);
    }
    call.at = At::kCheckClock;
    return Outcome::kContinues;
}

// The answer may have taken so long that the deadline has passed already.
Outcome MultiLock::check_clock(Shared& shared, Record& record, Call& call, std::size_t tag,
                               Event& event) const {
    const Instant now = clock_of(shared.now, record, event.caller);
    const Instant from = options_.rules->deadline_from(call.timestamp, now);
    if (!is_fresh(from, tag, now)) {
        call.at = At::kCleanUp;
        return Outcome::kContinues;
    }
    const Outcome outcome = give(shared, record, call, tag);
    record.deadline[tag] = deadline_of(from, options_.lock_timeouts[tag]);
    return outcome;
}

Outcome MultiLock::give(Shared& shared, Record& record, const Call& call, std::size_t tag) {
    receive(record, call, tag);
    // Also where it may be brought back from: what the caller was told is not undone.
    for (Lock* version : {&shared.lock, &shared.older[0], &shared.older[1]}) {
        if (Entry* own = find(*version, tag, call.id)) {
            own->granted |= kGranted;
        }
    }
    return Outcome::kAcquired;
}

}  // namespace lockkeeper::monglock
