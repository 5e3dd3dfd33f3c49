// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pooled_lock.hpp"

#include <algorithm>
#include <utility>

#include "impl/transactional/transaction_rules.hpp"
#include "impl/transactional/transaction_state.hpp"
#include "model/check.hpp"

namespace lockkeeper::transactional {

const PooledRules kSoundPooledRules;

PooledLock::PooledLock(PooledOptions options) : options_(std::move(options)) {
    LOCKKEEPER_CHECK(options_.connections >= 1 && options_.connections <= kConnectionsMax);
}

void PooledLock::begin(const Operation& operation, Call& call) const {
    switch (operation.verb) {
        case Verb::kAcquire: call.at = At::kCheckOut; return;
        case Verb::kRelease: call.at = At::kUnlock; return;
        default: break;
    }
    switch (static_cast<PooledWord>(operation.word)) {
        case PooledWord::kDrop: call.at = At::kReturn; return;
        case PooledWord::kEffect: call.at = At::kEffect; return;
        case PooledWord::kOtherConnection: call.at = At::kCheckOutOther; return;
    }
}

std::size_t PooledLock::free_connection(const Shared& shared) const {
    std::size_t at = 0;
    while (at < options_.connections && !options_.rules->is_free(shared.sessions[at])) {
        ++at;
    }
    return at;
}

bool PooledLock::blocked(const Shared& shared, const Record& record, const Call& call) const {
    if (call.at == At::kCheckOut) {
        return record.connection == 0 && free_connection(shared) == options_.connections;
    }
    if (call.at == At::kCheckOutOther) {
        return free_connection(shared) == options_.connections;
    }
    if (call.at != At::kWait) {
        return false;
    }
    return shared.sessions[record.connection - 1U].place[record.asks - 1U] != 1;
}

Outcome PooledLock::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                         Event& event) const {
    return options_.rules->step(*this, shared, record, call, operation, event);
}

Outcome PooledLock::sound_step(Shared& shared, Record& record, Call& call,
                               const Operation& operation, Event& event) const {
    const PooledClient& client = options_.clients[event.caller];
    switch (call.at) {
        case At::kCheckOut:
            if (record.connection == 0) {
                const std::size_t free = free_connection(shared);
                if (free == options_.connections) {
                    return Outcome::kContinues;  // the call begins, and waits for the pool
                }
                shared.sessions[free].in_use = 1;
                record.connection = static_cast<std::uint8_t>(free + 1);
            }
            call.at = At::kLock;
            return Outcome::kContinues;
        case At::kLock: return lock(shared, record, call, operation, client, event);
        case At::kWait: return granted_to(record, operation, event);
        case At::kUnlock: return unlock(shared, record, call, operation, client, event);
        case At::kReturn:
            put_back(shared, record, false);
            return operation.verb == Verb::kRelease ? Outcome::kReleased : Outcome::kDone;
        case At::kEffect: event.what |= kEffect; return Outcome::kDone;
        case At::kCheckOutOther: {
            const std::size_t free = free_connection(shared);
            if (free != options_.connections) {
                shared.sessions[free].in_use = 1;
                record.other = static_cast<std::uint8_t>(free + 1);
                call.at = At::kReturnOther;
            }
            return Outcome::kContinues;
        }
        case At::kReturnOther: put_back_other(shared, record, false); return Outcome::kDone;
        case At::kNowhere: break;
    }
    unreachable("a label of the pooled lock");
}

std::uint8_t PooledLock::length(const Shared& shared, std::size_t key) {
    std::uint8_t length = 0;
    for (const Session& session : shared.sessions) {
        length = std::max(length, session.place[key]);
    }
    return length;
}

void PooledLock::leave_line(Shared& shared, Session& session, std::size_t key) const {
    const std::uint8_t left = std::exchange(session.place[key], std::uint8_t{0});
    session.count[key] = 0;
    session.in_transaction &= static_cast<std::uint8_t>(~(1U << key));
    const std::uint8_t last = length(shared, key);
    for (Session& other : shared.sessions) {
        if (left == 0 || other.place[key] <= left) {
            continue;
        }
        other.place[key] = options_.rules->moved_up(other.place[key], left, last);
        const bool in_transaction = (other.in_transaction >> key & 1U) != 0;
        other.count[key] = other.place[key] == 1 && !in_transaction ? 1 : 0;
    }
}

// Granted to this session.
void PooledLock::hold(Session& session, std::size_t key, const PooledClient& client) {
    if (client.session_level) {
        ++session.count[key];
    } else {
        session.in_transaction |= static_cast<std::uint8_t>(1U << key);
    }
}

// Frees the locks at transaction level; those that the session holds at session level stay.
void PooledLock::end_transaction(Shared& shared, Session& session) const {
    for (std::size_t key = 0; key < kKeys; ++key) {
        if ((session.in_transaction >> key & 1U) != 0 && session.count[key] == 0) {
            leave_line(shared, session, key);
        }
    }
    session.in_transaction = 0;
}

Outcome PooledLock::lock(Shared& shared, Record& record, Call& call, const Operation& operation,
                         const PooledClient& client, Event& event) const {
    const std::size_t key = operation.key;
    Session& session = shared.sessions[record.connection - 1U];
    const std::uint8_t waiting = length(shared, key);
    if (session.place[key] == 1) {  // the same session: granted once more, whoever locked it
        const bool again = record.own[key] > 0;
        hold(session, key, client);
        const Outcome outcome = granted_to(record, operation, event);
        record.granted_now = again ? std::uint8_t{0} : record.granted_now;
        return outcome;
    }
    const bool free = waiting == 0;
    if (client.tries ? options_.rules->grants_try(free) : free) {
        session.place[key] = 1;
        hold(session, key, client);
        return granted_to(record, operation, event);
    }
    if (record.asks == 0) {
        record.asks = static_cast<std::uint8_t>(key + 1);
        record.rank = 0xFF;
    }
    if (client.tries) {
        if (!operation.until_acquired) {
            record.asks = record.rank = record.overtaken = 0;
        }
        if (record.blocks == 0) {
            put_back(shared, record, false);
        }
        return Outcome::kRefused;
    }
    session.place[key] = static_cast<std::uint8_t>(waiting + 1);
    if (!client.session_level) {
        hold(session, key, client);
    }
    call.at = At::kWait;
    return Outcome::kContinues;
}

Outcome PooledLock::granted_to(Record& record, const Operation& operation, Event& event) const {
    if (record.overtaken > options_.tolerated) {
        event.note(Breach::kTokenRepeated);
    }
    ++record.blocks;
    ++record.own[operation.key];
    record.granted_now = static_cast<std::uint8_t>(operation.key + 1);
    return Outcome::kAcquired;
}

Outcome PooledLock::unlock(Shared& shared, Record& record, Call& call, const Operation& operation,
                           const PooledClient& client, Event& event) const {
    const std::size_t key = operation.key;
    if (!operation.unchecked && !holds(shared, record, key)) {
        event.note(Breach::kFalseOk);  // the server says so with a warning only
    }
    if (record.connection == 0) {
        return Outcome::kReleased;  // never locked: the server says so with a warning only
    }
    Session& session = shared.sessions[record.connection - 1U];
    if (record.blocks > 0) {
        --record.blocks;
    }
    if (!client.session_level && record.blocks == 0) {
        end_transaction(shared, session);
        record.own = {};
    }
    if (client.session_level && record.own[key] > 0) {
        --record.own[key];
    }
    if (client.session_level && session.count[key] > 0 && --session.count[key] == 0) {
        leave_line(shared, session, key);
    }
    if (record.blocks > 0) {
        return Outcome::kReleased;  // an inner block: the connection is still needed
    }
    call.at = At::kReturn;
    return Outcome::kContinues;
}

void PooledLock::reset(Shared& shared, Session& session, bool all) const {
    end_transaction(shared, session);
    for (std::size_t key = 0; key < kKeys && all; ++key) {
        leave_line(shared, session, key);
    }
}

// `is_closed`: the connection, by the server; the pool opens another.
void PooledLock::put_back(Shared& shared, Record& record, bool is_closed) const {
    if (record.connection == 0) {
        return;
    }
    Session& session = shared.sessions[record.connection - 1U];
    const bool resets = is_closed || (options_.repairs & kResetOnReturn) != 0;
    session.in_use = 0;
    options_.rules->put_back(*this, shared, session, resets);
    record.connection = 0;
    record.blocks = 0;
    record.own = {};
}

// It has locked nothing there. What lies on it was left by somebody else.
void PooledLock::put_back_other(Shared& shared, Record& record, bool is_closed) const {
    if (record.other == 0) {
        return;
    }
    Session& session = shared.sessions[record.other - 1U];
    const bool resets = is_closed || (options_.repairs & kResetOnReturn) != 0;
    session.in_use = 0;
    options_.rules->put_back_other(*this, shared, session, resets);
    record.other = 0;
}

// The process ends, and with it its connections: the server frees all.
void PooledLock::on_death(Shared& shared, Record& record) const {
    put_back_other(shared, record, true);
    put_back(shared, record, true);
    record = {};
}

// A caller that is granted has overtaken those that have asked for longer.
void PooledLock::watch(const Shared&, Records<Record> records) const {
    for (std::size_t i = 0; i < records.size(); ++i) {
        Record& owner = records[i];
        for (std::size_t j = 0; j < records.size() && owner.granted_now != 0; ++j) {
            Record& other = records[j];
            const bool earlier = owner.asks == 0 || other.rank < owner.rank;
            if (i != j && other.asks == owner.granted_now && earlier &&
                other.overtaken <= options_.tolerated) {
                ++other.overtaken;
            }
        }
        if (owner.granted_now != 0) {
            owner.granted_now = owner.asks = owner.rank = owner.overtaken = 0;
        }
    }
    std::array<Ranks, kKeys> ranks{};
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].asks != 0) {
            ranks[records[i].asks - 1U].add(records[i].rank);
        }
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        Record& record = records[i];
        if (record.asks == 0) {
            record.rank = 0;
        } else if (const Ranks& own = ranks[record.asks - 1U]; !own.in_order()) {
            record.rank = own.renumbered(record.rank);
        }
    }
}

void PooledLock::observe(const Shared& shared, Records<const Record> records,
                         Observation& out) const {
    for (std::size_t key = 0; key < out.keys_count; ++key) {
        KeyObservation& seen = out.keys[key];
        std::uint8_t most = 0;
        for (const Session& session : shared.sessions) {
            const bool granted = session.place[key] == 1;
            seen.granted += granted ? 1 : 0;
            // On a connection that lies in the pool it belongs to nobody.
            seen.phantoms += granted && session.in_use == 0 ? 1 : 0;
        }
        for (std::size_t caller = 0; caller < out.callers_count; ++caller) {
            most = std::max(most, records[caller].overtaken);
        }
        out.grants_overlap = out.grants_overlap || seen.granted > 1;
        seen.counters = {length(shared, key), most};
    }
}

std::string PooledLock::describe_step(const Shared& shared, const Record& record, const Call& call,
                                      const Operation& operation) const {
    const std::string& key = options_.keys[operation.key];
    switch (call.at) {
        case At::kCheckOut: return "take a connection";
        case At::kLock:
            return "lock " + key + " on connection " + std::to_string(record.connection);
        case At::kWait: return "the lock statement of " + key + " goes on";
        case At::kUnlock:
            if (!is_in_transaction(shared, record)) {
                return "unlock " + key;
            }
            return record.blocks > 1 ? "an inner block ends, nothing is sent" : "COMMIT";
        case At::kReturn: return "put the connection back";
        case At::kEffect: return "effect outside of the database, under " + key;
        case At::kCheckOutOther: return "take another connection, too";
        case At::kReturnOther: return "put connection " + std::to_string(record.other) + " back";
        case At::kNowhere: break;
    }
    return "idle";
}

std::string PooledLock::show(const Shared& shared) const {
    std::string text;
    for (std::size_t at = 0; at < options_.connections; ++at) {
        const Session& session = shared.sessions[at];
        text += (text.empty() ? "" : "  ") + std::to_string(at + 1) +
                (session.in_use != 0 ? ": in use" : ": free");
        for (std::size_t key = 0; key < options_.keys.size(); ++key) {
            if (session.place[key] != 0) {
                text += (session.place[key] == 1 ? ", has " : ", waits for ") + options_.keys[key];
            }
        }
    }
    return text;
}

}  // namespace lockkeeper::transactional
