#include "impl/leases/lease_service.hpp"

namespace lockkeeper::leases {

LeaseService::Shared LeaseService::initial_shared() const {
    Shared shared{};
    shared.now = kBeginning;
    shared.left = options().faults;
    shared.tokens.restart();
    return shared;
}

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
    const std::size_t key = operation.key;
    switch (call.at) {
        case At::kAsk: return ask(shared, record, call, key, event);
        case At::kAsked: return asked(shared, record, call, key, event);
        case At::kAnswered: return answered(shared, record, key, event);
        case At::kRefused: record.by = 0; return fail(Error::kConflict, event);
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
        case At::kHang: record.renewal[key] = {}; return Outcome::kDone;
        case At::kLieDown:
            record.wake = wake_at(shared.now, operation.number);
            call.at = At::kAsleep;
            return Outcome::kContinues;
        case At::kAsleep: record.wake = 0; return Outcome::kDone;
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
            }
        }
    }
}

// --- the service -----------------------------------------------------------------------------

std::int32_t LeaseService::longest_ttl() const {
    std::int32_t longest = options().ttl;
    for (const Client& client : options().clients) {
        longest = std::max(longest, client.ttl);
    }
    return longest;
}

bool LeaseService::handle(Shared& shared, Record& record, std::size_t caller,
                          std::size_t key) const {
    Entry& entry = shared.map[key];
    const Instant until = instant(shared.now + ttl_of(caller));
    if (record.entry[key] != 0) {
        const bool own = record.entry[key] == entry.id && entry.expires > shared.now;
        if (own) {
            entry.expires = until;
            return true;
        }
    } else {
        const bool taken = is_valid(shared, key) && !has(LeaseServiceBug::kIgnoresExpiry);
        const bool closed = shared.closed_until > shared.now;
        if (!taken && !closed) {
            Event unused;
            entry.expires = until;
            entry.id = shared.tokens.next_generation();
            entry.token = shared.tokens.draw(false, unused);
            record.entry[key] = entry.id;
            return true;
        }
    }
    end_stream(shared, record, false);
    return false;
}

// `asked_for`: the client ended it. The client learns of the others when it sends.
void LeaseService::end_stream(Shared& shared, Record& record, bool asked_for) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const bool own = record.entry[key] != 0 && (shared.map[key].id == record.entry[key] ||
                                                    has(LeaseServiceBug::kClosesByScope));
        if (own && (asked_for || !repairs(kSvKeepsEntries))) {
            shared.map[key] = {};
        }
    }
    break_connection(record);
    record.entry = {};
    record.stream = asked_for ? Stream::kClosed : Stream::kEnded;
}

// What is under way on the stream does not arrive.
void LeaseService::break_connection(Record& record) const {
    record.stream = Stream::kEnded;
    for (Renewal& renewal : record.renewal) {
        if (renewal.phase != Phase::kNone) {
            renewal.phase = Phase::kWaits;
            renewal.by = 0;
            renewal.sent = 0;
            renewal.gone = 0;
        }
    }
}

void LeaseService::restart(Shared& shared, Records<Record> records) const {
    --shared.left.restarts;
    shared.map = {};
    if (has(LeaseServiceBug::kRestartsTokens)) {
        shared.tokens.restart();
    }
    if (repairs(kSvRestartWait)) {
        shared.closed_until = instant(shared.now + longest_ttl());
    }
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        Record& record = records[caller];
        record.entry = {};
        record.orphan = {};
        if (record.stream == Stream::kOpen) {
            break_connection(record);
        }
    }
}

// --- the library -----------------------------------------------------------------------------

bool LeaseService::has_any(const Record& record) const {
    return std::any_of(record.flags.begin(), record.flags.end(),
                       [](std::uint8_t flags) { return (flags & kMine) != 0; });
}

void LeaseService::forget(Record& record, std::size_t key) const {
    record.renewal[key] = {};
    record.deadline[key] = 0;
    record.flags[key] = 0;
    record.token[key] = 0;
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
    if (record.stream == Stream::kEnded && has_any(record)) {
        return fail(Error::kStreamEnded, event);
    }
    record.stream = Stream::kOpen;
    record.sent = shared.now;
    call.at = At::kAsked;
    if (options().delay == 0) {
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
    const bool ok = handle(shared, record, event.caller, key);
    if (ok) {
        const Entry& entry = shared.map[key];
        const bool repeated =
            has(LeaseServiceBug::kRestartsTokens) && entry.token - Tokens::kMiddle < entry.id;
        event.what |= repeated ? std::uint32_t{kTokenRepeated} : 0U;
        event.value = entry.expires - kBeginning;
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

Outcome LeaseService::answered(Shared& shared, Record& record, std::size_t key,
                               Event& event) const {
    record.by = 0;
    const Instant sent = std::exchange(record.sent, Instant{0});
    const std::size_t caller = event.caller;
    if (record.stream != Stream::kOpen) {
        record.token[key] = 0;
        return fail(Error::kStreamEnded, event);
    }
    const std::int32_t due = sent + timer(caller, ttl_of(caller) - options().grace);
    if (repairs(kSvOwnDeadline) && shared.now >= due) {
        record.token[key] = 0;
        end_stream(shared, record, !has_any(record));
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
        return fail(Error::kStreamEnded, event);
    }
    return handle(shared, record, event.caller, key) ? Outcome::kDone
                                                     : fail(Error::kLeaseLost, event);
}

Outcome LeaseService::release(Shared& shared, Record& record, std::size_t key, Event& event) const {
    const bool still = record.stream == Stream::kOpen && holds(shared, record, key);
    const bool interrupted = (record.flags[key] & kInterrupted) != 0;
    forget(record, key);
    if (record.stream == Stream::kOpen && !has_any(record)) {
        for (std::size_t other = 0; other < keys_count(); ++other) {
            if (record.entry[other] != 0 && shared.map[other].id != record.entry[other] &&
                is_valid(shared, other) && has(LeaseServiceBug::kClosesByScope)) {
                event.what |= kForeignRemoval;
            }
        }
        end_stream(shared, record, true);
    } else if (still && repairs(kSvCheckedRelease)) {
        shared.map[key] = {};
        record.entry[key] = 0;
    }
    if (record.stream == Stream::kEnded && !has_any(record)) {
        record.stream = Stream::kClosed;
    }
    if (repairs(kSvCheckedRelease) && !still) {
        record.generation[key] = 0;
        return fail(Error::kLeaseLost, event);
    }
    if (interrupted) {
        event.what |= kFalseOk;
    }
    if (!holds(shared, record, key)) {
        record.generation[key] = 0;
    }
    return Outcome::kReleased;
}

Outcome LeaseService::write(Shared& shared, Record& record, Call& call, std::size_t key,
                            Event& event) const {
    record.by = 0;
    const bool allowed = !repairs(kSvGuardedWrites) || holds(shared, record, key);
    if (take_effect(shared.resources[key], call.generation, call.token, repairs(kSvFencing),
                    allowed, event)) {
        return Outcome::kDone;
    }
    forget(record, key);
    if (!has_any(record) && record.stream == Stream::kOpen) {
        end_stream(shared, record, true);
    }
    return Outcome::kLost;
}

}  // namespace lockkeeper::leases
