// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/lease_service.hpp"

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

const LeaseServiceRules kSoundLeaseServiceRules;

void LeaseService::begin(const Operation& operation, Call& call) const {
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kAsk; return;
        case Verb::kRelease: call.at = At::kRelease; return;
        case Verb::kSleep: call.at = At::kLieDown; return;
        default: break;
    }
    switch (static_cast<LeaseServiceCall>(operation.word)) {
        case LeaseServiceCall::kWrite: call.at = At::kSendWrite; return;
        case LeaseServiceCall::kRenew: call.at = At::kRenew; return;
        case LeaseServiceCall::kHang: call.at = At::kHang; return;
    }
}

Outcome LeaseService::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                           Event& event) const {
    return rules_->step(*this, shared, record, call, operation, event);
}

Outcome LeaseService::sound_step(Shared& shared, Record& record, Call& call,
                                 const Operation& operation, Event& event) const {
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kAsk: return ask(shared, record, call, key, event);
        case At::kAsked: return asked(shared, record, call, key, event);
        case At::kAnswered: return answered(shared, record, key, event);
        case At::kRefused:
            record.by = 0;
            leave_when_empty(shared, record);
            return fail(Error::kConflict, event);
        case At::kRelease: return release(shared, record, key, event);
        case At::kRenew: return renew(shared, record, key, event);
        case At::kSendWrite:
            call.token = record.token[key];
            call.generation = record.generation[key];
            if (options().delay + options().pause == 0) {
                return write(shared, record, call, key, event);
            }
            record.by = instant(shared.now + options().delay + options().pause);
            call.at = At::kWriteArrives;
            return Outcome::kContinues;
        case At::kWriteArrives: return write(shared, record, call, key, event);
        case At::kHang: leave(record.renewal[key]); return Outcome::kDone;
        case At::kLieDown: return lie_down(shared, record, call, operation);
        case At::kAsleep: return wake_up(record);
        case At::kNowhere: break;
    }
    unreachable("a label of the lease service");
}

void LeaseService::watch(const Shared& shared, Records<Record> records) const {
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        Record& record = records[caller];
        for (std::size_t key = 0; key < keys_count(); ++key) {
            if (record.generation[key] != 0 && !holds(shared, record, key)) {
                record.flags[key] |= kInterrupted;
                record.flags[key] &= static_cast<std::uint8_t>(~kGaveUp);
            }
            if (shared.now > record.late[key]) {
                drop_late(record, key);
            }
        }
    }
}

// --- the library -----------------------------------------------------------------------------

bool LeaseService::has_any(const Record& record) const {
    return std::any_of(record.flags.begin(), record.flags.end(),
                       [](std::uint8_t flags) { return (flags & kMine) != 0; });
}

void LeaseService::put_under_way(Record& record, std::size_t message) {
    for (std::uint8_t& place : record.under_way) {
        if (place == 0) {
            place = static_cast<std::uint8_t>(message);
            return;
        }
    }
    unreachable("more messages on a stream than a client sends at once");
}
void LeaseService::arrive(Record& record) {
    std::shift_left(record.under_way.begin(), record.under_way.end(), 1);
    record.under_way.back() = 0;
}

void LeaseService::forget(Record& record, std::size_t key) const {
    leave(record.renewal[key]);  // a heartbeat on its way is handled all the same
    record.deadline[key] = 0;
    record.flags[key] = 0;
    record.token[key] = 0;
}

// Not while an acquire uses the stream.
void LeaseService::leave_when_empty(const Shared& shared, Record& record) const {
    if (!has_any(record) && record.stream == Stream::kOpen && record.sent == 0) {
        end_by_client(shared, record);
    }
}

// Nothing is left of a stream that has ended: the next acquire opens another.
void LeaseService::close_when_empty(Record& record) const {
    if (has_ended(record) && !has_any(record)) {
        record.stream = Stream::kClosed;
    }
}

// At its own deadline. On a stream that goes on the entry stands for the grace.
void LeaseService::give_up(const Shared& shared, Record& record, std::size_t key) const {
    forget(record, key);
    leave_when_empty(shared, record);
    record.flags[key] |= record.stream == Stream::kOpen ? kGaveUp : std::uint8_t{0};
}

void LeaseService::next_heartbeat(Record& record, Instant now, std::size_t caller,
                                  std::size_t key) const {
    if (heartbeats_) {
        wait_for(record.renewal[key], now, ttl_of(caller) / 2, caller);
    }
}

Outcome LeaseService::ask(Shared& shared, Record& record, Call& call, std::size_t key,
                          Event& event) const {
    if ((record.flags[key] & kMine) != 0) {
        return fail(Error::kAlreadyHeld, event);
    }
    if (has_ended(record) && has_any(record)) {
        return fail(Error::kStreamEnded, event);
    }
    record.stream = Stream::kOpen;
    record.sent = shared.now;
    call.at = At::kAsked;
    put_under_way(record, kQuestion + key);
    if (options().delay == 0 && is_next(record)) {
        return asked(shared, record, call, key, event);
    }
    record.by = instant(shared.now + options().delay);
    return Outcome::kContinues;
}

Outcome LeaseService::asked(Shared& shared, Record& record, Call& call, std::size_t key,
                            Event& event) const {
    record.by = 0;
    if (record.stream != Stream::kOpen) {
        record.sent = 0;
        return fail(Error::kStreamEnded, event);
    }
    arrive(record);
    if (repairs(kSvKeepsStream) &&
        !rules_->may_renew(shared.map[key], record.entry[key], shared.now)) {
        record.entry[key] = 0;  // of before, lost: whoever asks does not hold it
    }
    const bool ok = handle(shared, record, event.caller, key, event);
    if (ok) {
        const Entry& entry = shared.map[key];
        event.value = told(entry.expires);
        record.generation[key] = entry.id;
        record.token[key] = entry.token;
        record.flags[key] = 0;
    } else {
        record.sent = 0;
    }
    const bool at_once = options().delay + options().pause == 0 && !answers_may_fail(shared);
    if (at_once) {
        return ok ? answered(shared, record, key, event) : fail(Error::kConflict, event);
    }
    record.by = instant(shared.now + options().delay + options().pause);
    call.at = ok ? At::kAnswered : At::kRefused;
    return Outcome::kContinues;
}

std::int32_t LeaseService::own_deadline(const Shared& shared, Instant sent,
                                        std::size_t caller) const {
    return rules_->deadline_from(sent, shared.now) +
           timer(caller, ttl_of(caller) - options().grace);
}

Outcome LeaseService::answered(Shared& shared, Record& record, std::size_t key,
                               Event& event) const {
    record.by = 0;
    const Instant sent = std::exchange(record.sent, Instant{0});
    const std::size_t caller = event.caller;
    if (record.stream != Stream::kOpen) {
        record.token[key] = 0;
        return fail(Error::kStreamEnded, event);
    }
    const std::int32_t due = own_deadline(shared, sent, caller);
    if (repairs(kSvOwnDeadline) && shared.now >= due) {
        give_up(shared, record, key);
        return fail(Error::kLeaseLost, event);
    }
    if (repairs(kSvOwnDeadline)) {
        record.deadline[key] = instant(due);
    }
    record.flags[key] |= kMine;
    next_heartbeat(record, shared.now, caller, key);
    return Outcome::kAcquired;
}

// A renewal of which the caller reads the answer: the service's own interface.
Outcome LeaseService::renew(Shared& shared, Record& record, std::size_t key, Event& event) const {
    if (record.stream != Stream::kOpen) {
        return not_renewed(shared, record, key, Error::kStreamEnded, event);
    }
    if (record.under_way[0] != 0) {
        return Outcome::kContinues;
    }
    const bool gave_up = (record.flags[key] & kGaveUp) != 0;  // while the call waited, too
    if (gave_up || !handle(shared, record, event.caller, key, event)) {
        return not_renewed(shared, record, key, Error::kLeaseLost, event);
    }
    if (repairs(kSvOwnDeadline) && (record.flags[key] & kMine) != 0) {
        record.deadline[key] = instant(own_deadline(shared, shared.now, event.caller));
    }
    return Outcome::kDone;
}

// Whoever has read that believes no longer, and may ask again.
Outcome LeaseService::not_renewed(const Shared& shared, Record& record, std::size_t key,
                                  Error error, Event& event) const {
    if ((record.flags[key] & kMine) != 0) {
        lose(event, event.caller, key);
        forget(record, key);
        leave_when_empty(shared, record);
        close_when_empty(record);
    }
    return fail(error, event);
}

Outcome LeaseService::release(Shared& shared, Record& record, std::size_t key, Event& event) const {
    if (repairs(kSvCheckedRelease) && record.under_way[0] != 0) {
        return Outcome::kContinues;
    }
    const bool still = record.stream == Stream::kOpen && holds(shared, record, key);
    const bool interrupted = (record.flags[key] & kInterrupted) != 0;
    forget(record, key);
    if (still && repairs(kSvCheckedRelease)) {
        shared.map[key] = {};
        record.entry[key] = 0;
    }
    leave_when_empty(shared, record);
    close_when_empty(record);
    if (repairs(kSvCheckedRelease) && !still) {
        record.generation[key] = 0;
        return fail(Error::kLeaseLost, event);
    }
    event.note(Breach::kFalseOk, interrupted);
    if (!holds(shared, record, key)) {
        record.generation[key] = 0;
    }
    return Outcome::kReleased;
}

Outcome LeaseService::write(Shared& shared, Record& record, Call& call, std::size_t key,
                            Event& event) const {
    record.by = 0;
    const bool allowed = !repairs(kSvGuardedWrites) || rules_->guards(*this, shared, record, key);
    if (take_effect(shared.resources[key], call.generation, call.token, repairs(kSvFencing),
                    allowed, event)) {
        return Outcome::kDone;
    }
    forget(record, key);
    leave_when_empty(shared, record);
    return Outcome::kLost;
}

}  // namespace lockkeeper::leases
