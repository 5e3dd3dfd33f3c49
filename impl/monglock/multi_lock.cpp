#include "impl/monglock/multi_lock.hpp"

#include <algorithm>

namespace lockkeeper::monglock {

MultiLock::Shared MultiLock::initial_shared() const {
    Shared shared{};
    shared.exists = common().exists ? 1 : 0;
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
        case MultiLockCall::kAskAgain: call.at = At::kAskAgain; return;
        case MultiLockCall::kWrite: call.at = At::kWrite; return;
        case MultiLockCall::kWithdraw: call.at = At::kRelease; return;
    }
}

std::uint32_t MultiLock::faults_of(const Shared& shared, const Record& record, const Call& call,
                                   const Operation& operation) const {
    switch (call.at) {
        case At::kPush:
        case At::kRelease:
        case At::kCleanUp: return shared.left.faults_of_update();
        case At::kLookAtAssertive:
        case At::kAskAgain: return shared.left.faults_of_read(false);
        case At::kReadClock:  // a pending entry makes it ask again
            return (record.pending >> operation.key & 1U) != 0 ? shared.left.faults_of_read(false)
                                                               : 0;
        case At::kLookAfterPush:
        case At::kLookAfterRelease: return shared.left.faults_of_read(shared.exists == 0);
        default: return 0;
    }
}

Outcome MultiLock::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                        Event& event) const {
    const std::size_t tag = operation.key;
    switch (call.at) {
        case At::kReadClock:
            if ((record.pending >> tag & 1U) != 0) {
                return ask_again(shared, record, call, tag, event);
            }
            record.reading = clock_of(shared.now, record, event.caller);
            call.at = At::kPush;
            return Outcome::kContinues;
        case At::kPush: return push(shared, record, call, tag, event);
        case At::kLookAfterPush: return look_after(shared, call, Error::kCooperativeLock, event);
        case At::kLookAtAssertive: return look_at_assertive(shared, record, call, tag, event);
        case At::kAskAgain: return ask_again(shared, record, call, tag, event);
        case At::kRelease: return release(shared, record, call, tag, event);
        case At::kLookAfterRelease: return look_after(shared, call, Error::kLockNotFound, event);
        case At::kCleanUp: return clean_up(shared, record, tag, event);
        case At::kWrite: return write_under(shared, record, tag, event);
        case At::kLieDown:
            record.wake = after(shared.now, operation.number);
            call.at = At::kAsleep;
            return Outcome::kContinues;
        case At::kAsleep: record.wake = 0; return Outcome::kDone;
        case At::kForEver:
        case At::kNowhere: break;
    }
    unreachable("a label of the multi lock");
}

// --- entries -------------------------------------------------------------------------------

bool MultiLock::is_free(const Shared& shared, std::size_t tag, std::int32_t now) const {
    std::size_t entries = 0;
    std::size_t old = 0;
    for (const Entry& entry : shared.lock[tag]) {
        entries += entry.id != 0 ? 1U : 0U;
        old += entry.id != 0 && entry.timestamp <= now - options_.lock_timeouts[tag] ? 1U : 0U;
    }
    return entries == 0 || (repairs(kAllElements) ? old == entries : old > 0);
}

bool MultiLock::all_free(const Shared& shared, TagSet tags, std::int32_t now) const {
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        if ((tags >> tag & 1U) != 0 && !is_free(shared, tag, now)) {
            return false;
        }
    }
    return true;
}

void MultiLock::keep_newest_write(Shared& shared) const {
    if (!repairs(kMultiKeptWrites) && (shared.left.failovers > 0 || shared.left.save_backs > 0)) {
        shared.before = shared.lock;
    }
}

void MultiLock::remove(Shared& shared, std::size_t tag, std::uint8_t id) const {
    keep_newest_write(shared);
    auto& list = shared.lock[tag];
    const auto end = std::remove_if(list.begin(), list.end(),
                                    [&](const Entry& entry) { return entry.id == id; });
    std::fill(end, list.end(), Entry{});
}

void MultiLock::forget(Record& record, std::size_t tag) {
    record.timestamp[tag] = 0;
    record.deadline[tag] = 0;
    record.id[tag] = 0;
    record.pending = static_cast<std::uint8_t>(record.pending & ~(1U << tag));
}

// --- acquire -------------------------------------------------------------------------------

Outcome MultiLock::push(Shared& shared, Record& record, Call& call, std::size_t tag,
                        Event& event) const {
    const OperationFault fault = met(shared.left, event);
    const Instant reading = std::exchange(record.reading, Instant{0});
    const bool matches =
        shared.exists != 0 && (has(broken::MonglockBug::kIgnoresCooperative) ||
                               all_free(shared, options_.cooperative[tag], reading));
    if (matches && fault != OperationFault::kNotApplied) {
        add_entry(shared, record, reading, tag);
    }
    if (fault != OperationFault::kNone) {
        return unanswered(call, event);
    }
    call.at = matches ? At::kLookAtAssertive : At::kLookAfterPush;
    return Outcome::kContinues;
}

void MultiLock::add_entry(Shared& shared, Record& record, Instant now, std::size_t tag) const {
    auto& list = shared.lock[tag];
    const auto free =
        std::find_if(list.begin(), list.end(), [](const Entry& entry) { return entry.id == 0; });
    if (free == list.end()) {
        throw LimitExceeded("more than " + std::to_string(kEntriesMax) + " entries of one tag");
    }
    if (shared.ids == 0xFF) {
        throw LimitExceeded("more than 255 acquisitions");
    }
    keep_newest_write(shared);
    *free = {now, ++shared.ids, 0};
    record.timestamp[tag] = now;
    record.id[tag] = shared.ids;
}

// The update failed: nobody knows whether it was applied.
Outcome MultiLock::unanswered(Call& call, Event& event) const {
    if (!repairs(kMultiCleanUp)) {
        return fail(Error::kDbError, event);
    }
    call.at = At::kCleanUp;
    return Outcome::kContinues;
}

Outcome MultiLock::clean_up(Shared& shared, Record& record, std::size_t tag, Event& event) const {
    const OperationFault fault = met(shared.left, event);
    if (fault != OperationFault::kNotApplied) {
        remove(shared, tag, record.id[tag]);
    }
    if (fault != OperationFault::kNone) {
        return Outcome::kContinues;
    }
    forget(record, tag);
    return fail(Error::kDbError, event);
}

Outcome MultiLock::look_at_assertive(Shared& shared, Record& record, Call& call, std::size_t tag,
                                     Event& event) const {
    if (met(shared.left, event) == OperationFault::kReadFails) {
        if (repairs(kMultiSettlingReads)) {
            return unanswered(call, event);
        }
        call.at = At::kForEver;
        return Outcome::kContinues;
    }
    if (repairs(kOwnEntry) && !own_entry_counts(shared, record, tag, event.caller)) {
        call.at = At::kCleanUp;  // the push has taken too long
        return Outcome::kContinues;
    }
    const std::int32_t now = clock_of(shared.now, record, event.caller);
    if (shared.exists != 0 && all_free(shared, options_.assertive[tag], now)) {
        return give(shared, record, tag);
    }
    record.pending = static_cast<std::uint8_t>(record.pending | 1U << tag);
    return fail(Error::kAssertiveLock, event);
}

Outcome MultiLock::ask_again(Shared& shared, Record& record, Call& call, std::size_t tag,
                             Event& event) const {
    if (met(shared.left, event) == OperationFault::kReadFails) {
        return fail(Error::kDbError, event);
    }
    call.at = At::kAskAgain;
    if (repairs(kOwnEntry) && !own_entry_counts(shared, record, tag, event.caller)) {
        if (const Entry* own = find(shared, tag, record.id[tag]); own != nullptr) {
            remove(shared, tag, own->id);
        }
        forget(record, tag);
        return fail(Error::kLockNotFound, event);
    }
    const std::int32_t now =
        repairs(kCurrentClock) ? clock_of(shared.now, record, event.caller) : record.timestamp[tag];
    if (shared.exists != 0 && all_free(shared, options_.assertive[tag], now)) {
        return give(shared, record, tag);
    }
    return fail(Error::kAssertiveLock, event);
}

bool MultiLock::own_entry_counts(const Shared& shared, const Record& record, std::size_t tag,
                                 std::size_t caller) const {
    const Entry* own = find(shared, tag, record.id[tag]);
    const std::int32_t now = clock_of(shared.now, record, caller);
    return own != nullptr && own->timestamp > now + common().grace - options_.lock_timeouts[tag];
}

Outcome MultiLock::give(Shared& shared, Record& record, std::size_t tag) const {
    record.pending = static_cast<std::uint8_t>(record.pending & ~(1U << tag));
    if (Entry* own = find(shared, tag, record.id[tag])) {
        own->granted = 1;
    }
    if (repairs(kMultiOwnDeadline)) {
        record.deadline[tag] = deadline_of(record.timestamp[tag], options_.lock_timeouts[tag]);
    }
    return Outcome::kAcquired;
}

// --- release, writing under the lock ---------------------------------------------------------

Outcome MultiLock::release(Shared& shared, Record& record, Call& call, std::size_t tag,
                           Event& event) const {
    const OperationFault fault = met(shared.left, event);
    const Entry* own = shared.exists != 0 ? find(shared, tag, record.id[tag]) : nullptr;
    const bool held = holds(shared, record, tag);
    const bool counts = !repairs(kOwnEntry) || own_entry_counts(shared, record, tag, event.caller);
    if (own != nullptr && fault != OperationFault::kNotApplied) {
        remove(shared, tag, own->id);
    }
    record.deadline[tag] = 0;
    if (fault != OperationFault::kNone) {
        return repairs(kMultiCleanUp) ? Outcome::kContinues : fail(Error::kDbError, event);
    }
    const bool was_pending = (record.pending >> tag & 1U) != 0;
    forget(record, tag);
    if (own == nullptr || !counts) {
        call.at = At::kLookAfterRelease;
        return Outcome::kContinues;
    }
    event.what |= !held && !was_pending ? std::uint32_t{kFalseOk} : 0U;
    return Outcome::kReleased;
}

Outcome MultiLock::look_after(Shared& shared, Call& call, Error if_there, Event& event) const {
    const auto seen = look(shared.left, shared.exists != 0, if_there, event);
    if (seen || repairs(kMultiSettlingReads)) {
        return fail(seen.value_or(Error::kDbError), event);
    }
    call.at = At::kForEver;
    return Outcome::kContinues;
}

Outcome MultiLock::write_under(Shared& shared, Record& record, std::size_t tag,
                               Event& event) const {
    const bool is_taken = !repairs(kMultiGuardedWrites) || holds(shared, record, tag);
    if (!is_taken) {
        forget(record, tag);
    }
    return take_effect(is_taken, event);
}

// --- time, disturbances ------------------------------------------------------------------------

void MultiLock::background(const Shared& shared, Records<const Record> records,
                           ActionList& out) const {
    Agenda agenda(shared.now);
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        const Record& record = records[caller];
        for (std::size_t tag = 0; tag < keys_count(); ++tag) {
            for (const Entry& entry : shared.lock[tag]) {
                if (entry.id != 0) {
                    agenda.next.around(entry.timestamp + options_.lock_timeouts[tag] -
                                       ahead(record, caller));
                }
            }
        }
        for (std::size_t other = 0; other < records.size(); ++other) {
            for (std::size_t tag = 0; records[other].reading != 0 && tag < keys_count(); ++tag) {
                agenda.next.around(records[other].reading + options_.lock_timeouts[tag] -
                                   ahead(record, caller));
            }
        }
        add_own_stops(agenda, shared.now, record, caller, out);
    }
    offer_time(agenda, out);
}

void MultiLock::disturbances(const Shared& shared, Records<const Record> records,
                             ActionList& out) const {
    if (shared.exists != 0) {
        const bool differs = !repairs(kMultiKeptWrites) &&
                             std::memcmp(&shared.lock, &shared.before, sizeof(Lock)) != 0;
        add_disturbances(shared.left, 0, differs, out);
    }
    add_clock_jumps(shared.left, records.size(), out);
}

void MultiLock::apply_background(Shared& shared, Records<Record> records, Action action,
                                 Event& event) const {
    if (!pass_time(shared, records, action, event, forget)) {
        disturb(shared.left, records, action, shared.lock, shared.before,
                [&] { shared.exists = 0; });
        if (shared.left.failovers == 0 && shared.left.save_backs == 0) {
            shared.before = {};
        }
    }
}

}  // namespace lockkeeper::monglock
