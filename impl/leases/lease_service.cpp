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
        case At::kHang: leave(record.renewal[key]); return Outcome::kDone;
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
            if (shared.now > record.late[key]) {
                record.late[key] = 0;
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

// 1: of `own`, the stream's entry, 0 when it has none.
bool LeaseService::grant(Shared& shared, std::uint8_t& own, std::size_t caller,
                         std::size_t key) const {
    Entry& entry = shared.map[key];
    const bool by_client = has(LeaseServiceBug::kExpiresByClientClock);
    const std::int32_t ahead = by_client ? options().clients[caller].clock : 0;
    const Instant until = instant(shared.now + ahead + ttl_of(caller));
    if (own != 0) {
        const bool valid = may_renew(shared, key, own);
        entry.expires = valid ? until : entry.expires;
        return valid;
    }
    if (is_taken(shared, key, caller) || shared.closed_until > shared.now) {
        return false;
    }
    Event unused;
    entry.expires = until;
    entry.id = shared.tokens.next_generation();
    entry.token = shared.tokens.draw(false, unused);
    own = entry.id;
    return true;
}

bool LeaseService::handle(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                          Event& event) const {
    const bool ok = grant(shared, record.entry[key], caller, key);
    if (!ok) {
        end_by_service(shared, record, event);
    }
    return ok;
}

// The end of a stream deletes an entry that is still its own.
void LeaseService::delete_entry(Shared& shared, std::size_t key, std::uint8_t id,
                                Event& event) const {
    const bool own = shared.map[key].id == id;
    if (id == 0 || (!own && !has(LeaseServiceBug::kClosesByScope))) {
        return;
    }
    if (!own && is_valid(shared, key)) {
        event.what |= kForeignRemoval;
    }
    shared.map[key] = {};
}

// 2: it failed, or the connection is known to be broken. The client learns of it when it sends.
void LeaseService::end_by_service(Shared& shared, Record& record, Event& event) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (!repairs(kSvKeepsEntries)) {
            delete_entry(shared, key, record.entry[key], event);
        }
    }
    record.entry = {};
    break_connection(record);
}

// A message says so. What was sent before it and is handled right before it changes nothing.
void LeaseService::end_by_client(const Shared& shared, Record& record) const {
    break_connection(record);
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.entry[key] != 0) {
            record.orphan[key] = std::exchange(record.entry[key], std::uint8_t{0});
            record.orphan_by[key] = instant(shared.now + options().delay);
            record.late[key] = 0;
        }
        record.renewal[key] = {};
        record.generation[key] = 0;
    }
    record.stream = Stream::kClosed;
}

// `by`: which end, of those that are not known yet. 0: one that nobody asked for.
void LeaseService::notice_end(Shared& shared, Record& record, Instant by, Event& event) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if (record.orphan_by[key] != by) {
            continue;
        }
        if (by != 0 || !repairs(kSvKeepsEntries)) {
            delete_entry(shared, key, record.orphan[key], event);
        }
        record.orphan[key] = 0;
        record.orphan_by[key] = 0;
        record.late[key] = 0;
    }
}

// Of a stream whose client has gone: a heartbeat, or the first question for a scope.
void LeaseService::handle_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                               Event& event) const {
    record.late[key] = 0;
    std::uint8_t own = record.orphan_by[key] == 0 ? record.orphan[key] : std::uint8_t{0};
    if (!grant(shared, own, caller, key)) {
        notice_end(shared, record, 0, event);
        return;
    }
    record.orphan[key] = own;
    record.orphan_by[key] = 0;
}

// The client is away, or thinks so, and the service does not know.
void LeaseService::leave_behind(Record& record) {
    const std::uint8_t question = record.under_way[0] >= kQuestion   ? record.under_way[0]
                                  : record.under_way[1] >= kQuestion ? record.under_way[1]
                                                                     : record.under_way[2];
    for (std::size_t key = 0; key < Size::kKeys; ++key) {
        const Renewal& renewal = record.renewal[key];
        const bool sent = renewal.phase == Phase::kAsked || renewal.phase == Phase::kGhost;
        if (sent || question == kQuestion + key) {
            record.late[key] = sent ? renewal.by : record.by;
        }
        if (record.entry[key] != 0) {
            record.orphan[key] = std::exchange(record.entry[key], std::uint8_t{0});
            record.orphan_by[key] = 0;
        }
    }
}

// The client knows it when it sends.
void LeaseService::break_connection(Record& record) {
    record.stream = Stream::kEnded;
    record.under_way = {};
    for (Renewal& renewal : record.renewal) {
        const bool ends = renewal.phase == Phase::kNone || renewal.phase == Phase::kGhost;
        renewal.phase = ends ? Phase::kNone : Phase::kWaits;
        renewal.at = ends ? Instant{0} : renewal.at;
        renewal.by = 0;
        renewal.sent = 0;
        renewal.gone = 0;
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
        record.orphan_by = {};
        record.late = {};
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
    record.under_way = {record.under_way[1], record.under_way[2], 0};
}

void LeaseService::forget(Record& record, std::size_t key) const {
    leave(record.renewal[key]);  // a heartbeat on its way is handled all the same
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
    const bool ok = handle(shared, record, event.caller, key, event);
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
    const std::int32_t due = own_deadline(shared, sent, caller);
    if (repairs(kSvOwnDeadline) && shared.now >= due) {
        record.token[key] = 0;
        if (!has_any(record)) {
            end_by_client(shared, record);
        }
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
    if (record.under_way[0] != 0) {
        return Outcome::kContinues;
    }
    return handle(shared, record, event.caller, key, event) ? Outcome::kDone
                                                            : fail(Error::kLeaseLost, event);
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
    if (record.stream == Stream::kOpen && !has_any(record)) {
        end_by_client(shared, record);
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
        end_by_client(shared, record);
    }
    return Outcome::kLost;
}

}  // namespace lockkeeper::leases
