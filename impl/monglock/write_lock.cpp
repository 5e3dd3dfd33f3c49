#include "impl/monglock/write_lock.hpp"

#include <algorithm>
#include <utility>

#include "model/check.hpp"

namespace lockkeeper::monglock {

using Bug = broken::MonglockBug;

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
    const bool writes = operation.word == static_cast<std::uint8_t>(WriteLockCall::kWrite);
    call.at = writes ? At::kWrite : At::kRelease;
    call.any = writes ? 0 : 1;
}

std::uint32_t WriteLock::faults_of(const Shared& shared, const Record&, const Call& call,
                                   const Operation& operation) const {
    switch (call.at) {
        case At::kTake:
        case At::kRelease:
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
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kReadClock:
            record.reading = clock_of(shared.now, record, event.caller);
            call.at = At::kTake;
            return Outcome::kContinues;
        case At::kTake: return take(shared, record, call, key, event);
        case At::kLookAfterTake:
            return look_after(shared, call, key, Error::kLockAlreadyTaken, event);
        case At::kRelease: return release(shared, record, call, key, event);
        case At::kLookAfterRelease:
            return look_after(shared, call, key, Error::kLockWasReacquired, event);
        case At::kCheckClock: return check_clock(shared, record, call, key, event);
        case At::kCleanUp: return clean_up(shared, record, key, event);
        case At::kWrite: return write_under(shared, record, key, event);
        case At::kLieDown:
            record.wake = after(shared.now, operation.number);
            call.at = At::kAsleep;
            return Outcome::kContinues;
        case At::kAsleep: record.wake = 0; return Outcome::kDone;
        case At::kForEver:
        case At::kNowhere: break;
    }
    unreachable("a label of the write lock");
}

// --- acquire -------------------------------------------------------------------------------

Outcome WriteLock::take(Shared& shared, Record& record, Call& call, std::size_t key,
                        Event& event) const {
    const OperationFault fault = met(shared.left, event);
    const Instant reading = std::exchange(record.reading, Instant{0});
    Document& document = shared.documents[key];
    const Field& lock = document.lock;
    const bool matches =
        document.exists != 0 && (lock.active != Active::kYes || has(Bug::kTakesActive) ||
                                 lock.timestamp <= reading - timeout_of(event.caller));
    if (fault == OperationFault::kNotApplied) {
        return failed_to_take(call, event);
    }
    if (matches) {
        grant(shared, record, reading, key, event);
    }
    if (fault == OperationFault::kAckLost) {
        return failed_to_take(call, event);
    }
    if (!matches) {
        call.at = At::kLookAfterTake;
        return Outcome::kContinues;
    }
    if (repairs(kOwnDeadline)) {
        record.reading = reading;
        call.at = At::kCheckClock;
        return Outcome::kContinues;
    }
    return Outcome::kAcquired;
}

// The update may have taken so long that the deadline has passed already.
Outcome WriteLock::check_clock(Shared& shared, Record& record, Call& call, std::size_t key,
                               Event& event) const {
    const Instant taken_at = std::exchange(record.reading, Instant{0});
    const Instant now = clock_of(shared.now, record, event.caller);
    const Instant deadline =
        deadline_of(has(Bug::kDeadlineFromAnswer) ? now : taken_at, lock_timeout_);
    if (now < deadline) {
        record.deadline[key] = deadline;
        return Outcome::kAcquired;
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

void WriteLock::grant(Shared& shared, Record& record, Instant timestamp, std::size_t key,
                      Event& event) const {
    Document& document = shared.documents[key];
    if (repairs(kMonotoneTokens) && document.lock.active != Active::kAbsent) {
        timestamp = std::max<Instant>(timestamp, document.lock.timestamp + 1);
    }
    if (has(Bug::kConstantToken)) {
        timestamp = kBeginning;
    }
    if (document.lock.active != Active::kAbsent && timestamp <= document.lock.timestamp) {
        event.what |= kTokenRepeated;
    }
    if (document.generations == 0xFF) {
        throw LimitExceeded("more than 255 acquisitions of one document");
    }
    ++document.generations;
    write(document, {timestamp, Active::kYes, document.generations}, shared.left);
    record.token[key] = timestamp;
    record.generation[key] = document.generations;
    event.value = timestamp - kBeginning;
}

Outcome WriteLock::failed_to_take(Call& call, Event& event) const {
    if (!repairs(kCleanUp)) {
        return fail(Error::kDbError, event);
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

// Again and again, until the database says that it is done.
Outcome WriteLock::clean_up(Shared& shared, Record& record, std::size_t key, Event& event) const {
    const OperationFault fault = met(shared.left, event);
    Document& document = shared.documents[key];
    if (fault != OperationFault::kNotApplied && holds(shared, record, key) &&
        !has(Bug::kCleansNothing)) {
        set_inactive(document, shared.left);
    }
    if (fault != OperationFault::kNone) {
        return Outcome::kContinues;
    }
    if (!holds(shared, record, key)) {
        end_grant(record, key);
    }
    return fail(Error::kDbError, event);
}

// --- release -------------------------------------------------------------------------------

// Without a timestamp any document matches, also one that has no lock. Who was never granted has
// no token, and no document has that.
bool WriteLock::may_release(const Document& document, const Record& record, const Call& call,
                            std::size_t key) const {
    const Field& lock = document.lock;
    if (document.exists == 0 || (repairs(kCheckedRelease) && lock.active != Active::kYes)) {
        return false;
    }
    if ((call.any != 0 && !repairs(kCheckedRelease)) || has(Bug::kReleasesAnything)) {
        return true;
    }
    return repairs(kUniqueIds) ? lock.generation != 0 && lock.generation == record.generation[key]
                               : lock.timestamp != 0 && lock.timestamp == record.token[key];
}

Outcome WriteLock::release(Shared& shared, Record& record, Call& call, std::size_t key,
                           Event& event) const {
    const OperationFault fault = met(shared.left, event);
    Document& document = shared.documents[key];
    const bool matches = may_release(document, record, call, key);
    if (matches && fault != OperationFault::kNotApplied) {
        const bool own = holds(shared, record, key);
        if (document.lock.active == Active::kYes && !own) {
            event.what |= kForeignRemoval;
        }
        if (fault == OperationFault::kNone && record.generation[key] != 0 && !own) {
            event.what |= kFalseOk;
        }
        set_inactive(document, shared.left);
    }
    record.deadline[key] = 0;
    if (fault != OperationFault::kNone) {
        return repairs(kCleanUp) ? Outcome::kContinues : fail(Error::kDbError, event);
    }
    if (matches || has(Bug::kSaysOkAnyway)) {
        event.what |= !matches && record.generation[key] != 0 ? std::uint32_t{kFalseOk} : 0U;
        end_grant(record, key);
        return Outcome::kReleased;
    }
    if (call.any != 0 && !repairs(kCheckedRelease)) {
        return fail(Error::kRessourceNotFound, event);
    }
    end_grant(record, key);
    call.at = At::kLookAfterRelease;
    return Outcome::kContinues;
}

// --- reading, writing under the lock ---------------------------------------------------------

Outcome WriteLock::look_after(Shared& shared, Call& call, std::size_t key, Error if_there,
                              Event& event) const {
    const auto seen = look(shared.left, shared.documents[key].exists != 0, if_there, event);
    if (seen || repairs(kSettlingReads)) {
        return fail(seen.value_or(Error::kDbError), event);
    }
    call.at = At::kForEver;
    return Outcome::kContinues;
}

Outcome WriteLock::write_under(Shared& shared, Record& record, std::size_t key,
                               Event& event) const {
    const bool anybody =
        has(Bug::kGuardsByActive) && shared.documents[key].lock.active == Active::kYes;
    const bool is_taken = !repairs(kGuardedWrites) || anybody || holds(shared, record, key);
    if (!is_taken) {
        end_grant(record, key);
    }
    return take_effect(is_taken, event);
}

// --- time, the holder's deadline, disturbances ------------------------------------------------

void WriteLock::background(const Shared& shared, Records<const Record> records,
                           ActionList& out) const {
    Agenda agenda(shared.now);
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        const std::int32_t period = timeout_of(caller) - ahead(record, caller);
        for (std::size_t key = 0; key < keys_count(); ++key) {
            const Field& lock = shared.documents[key].lock;
            if (lock.active == Active::kYes) {
                agenda.next.around(lock.timestamp + period);
            }
        }
        for (std::size_t other = 0; other < records.size(); ++other) {
            if (records[other].reading != 0) {  // to be written as a timestamp
                agenda.next.around(records[other].reading + period);
            }
        }
        add_own_stops(agenda, shared.now, record, caller, out);
    }
    offer_time(agenda, out);
}

void WriteLock::disturbances(const Shared& shared, Records<const Record> records,
                             ActionList& out) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Document& document = shared.documents[key];
        const bool differs =
            !repairs(kKeptWrites) && (document.older[0].active != document.lock.active ||
                                      document.older[0].generation != document.lock.generation);
        if (document.exists != 0) {
            add_disturbances(shared.left, key, differs, out);
        }
    }
    add_clock_jumps(shared.left, records.size(), out);
}

void WriteLock::apply_background(Shared& shared, Records<Record> records, Action action,
                                 Event& event) const {
    if (pass_time(shared, records, action, event, end_grant)) {
        return;
    }
    Document& document = shared.documents[std::min<std::size_t>(action.actor, Size::kKeys - 1)];
    disturb(shared.left, records, action, document.lock, document.older,
            keeps_two_writes(shared.left), [&] {
                document.lock = {};
                document.older = {};
                document.exists = 0;
            });
    if (!keeps_two_writes(shared.left)) {
        for (Document& one : shared.documents) {
            one.older[1] = {};
        }
    }
}

// --- what it shows ---------------------------------------------------------------------------

void WriteLock::observe(const Shared& shared, Records<const Record> records,
                        Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        const Field& lock = shared.documents[key].lock;
        KeyObservation& seen = out.keys[key];
        seen.granted = lock.active == Active::kYes ? 1 : 0;
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            const CallerObservation& who = out.callers[caller];
            const bool unaware = !who.dead && !who.calling && who.believed[key] == 0;
            const bool blocks = lock.timestamp + timeout_of(caller) > shared.now;
            if (unaware && blocks && holds(shared, records[caller], key)) {
                ++seen.phantoms;
            }
        }
        seen.buckets_count = 2;
        seen.counters[0] =
            lock.active == Active::kAbsent ? kAbsentCounter : (lock.active == Active::kYes ? 1 : 0);
        seen.counters[1] = lock.timestamp == 0 ? kAbsentCounter : lock.timestamp - kBeginning;
    }
}

std::string WriteLock::describe_step(const Shared& shared, const Record& record, const Call& call,
                                     const Operation& operation) const {
    const std::string& document = common().keys[operation.key];
    switch (call.at) {
        case At::kReadClock: return "read the clock";
        case At::kTake:
            return "take " + document + " at " + text_of_instant(record.reading) +
                   " if absent, inactive or old";
        case At::kCheckClock: return "check that the own deadline has not passed";
        case At::kLookAfterTake:
        case At::kLookAfterRelease: return "look whether " + document + " is there";
        case At::kRelease:
            return call.any != 0 ? "release_any: set " + document + " inactive"
                                 : "set " + document + " inactive if it has the timestamp";
        case At::kCleanUp: return "take back what may have been left in " + document;
        case At::kWrite: return "write: change what " + document + " protects";
        case At::kLieDown: return "until " + text_of_instant(shared.now + operation.number);
        case At::kAsleep: return "wake up";
        case At::kForEver:
        case At::kNowhere: break;
    }
    return "idle";
}

std::string WriteLock::show(const Shared& shared) const {
    std::string text = "time " + text_of_instant(shared.now);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const Document& document = shared.documents[key];
        text += "  " + common().keys[key] + " ";
        if (document.exists == 0) {
            text += "deleted";
        } else if (document.lock.active == Active::kAbsent) {
            text += "unlocked";
        } else {
            text += (document.lock.active == Active::kYes ? "active since " : "inactive, ") +
                    (document.lock.timestamp == 0 ? "no timestamp"
                                                  : text_of_instant(document.lock.timestamp));
        }
    }
    return text;
}

}  // namespace lockkeeper::monglock
