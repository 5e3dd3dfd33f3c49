// SPDX-License-Identifier: Apache-2.0

// The lease service itself: what it grants, and what the end of a stream does.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

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
    const Client& client = options().clients[caller];
    const Instant until = instant(rules_->expiry(shared.now, ttl_of(caller), client));
    if (own != 0) {
        const bool valid = rules_->may_renew(entry, own, shared.now);
        entry.expires = valid ? until : entry.expires;
        return valid;
    }
    if (rules_->is_taken(entry, shared.now, client) || shared.closed_until > shared.now) {
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
    if (!ok && !(repairs(kSvKeepsStream) && has_another(shared, record, key))) {
        end_by_service(shared, record, event);
        record.stream = repairs(kSvOwnDeadline) ? Stream::kEnded : Stream::kRefused;
    }
    return ok;
}

// True: the stream has a valid entry of another scope.
bool LeaseService::has_another(const Shared& shared, const Record& record, std::size_t key) const {
    for (std::size_t other = 0; other < keys_count(); ++other) {
        if (other != key && is_own(shared, record, other)) {
            return true;
        }
    }
    return false;
}

// The end of a stream deletes an entry that is still its own.
void LeaseService::delete_entry(Shared& shared, std::size_t key, std::uint8_t id,
                                Event& event) const {
    const bool own = shared.map[key].id == id;
    if (id == 0 || !rules_->deletes(shared.map[key], id)) {
        return;
    }
    event.note(Breach::kForeignRemoval, !own && is_valid(shared, key));
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
            drop_late(record, key);
        }
        record.renewal[key] = {};
        record.generation[key] = 0;
        record.flags[key] &= static_cast<std::uint8_t>(~kGaveUp);
    }
    record.stream = Stream::kClosed;
}

// `by`: which end, of those that are not known yet. 0: one that nobody asked for. `keys`: that such
// a stream may remember. What was sent on one that remembers others may still come.
void LeaseService::notice_end(Shared& shared, Record& record, Instant by, unsigned keys,
                              Event& event) const {
    unsigned noticed = 0;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        const bool is_asked_for = (keys & (1U << key)) != 0;
        if (!is_asked_for || record.orphan[key] == 0 || record.orphan_by[key] != by) {
            continue;
        }
        if (by != 0 || !repairs(kSvKeepsEntries)) {
            delete_entry(shared, key, record.orphan[key], event);
        }
        record.orphan[key] = 0;
        record.orphan_by[key] = 0;
        noticed |= 1U << key;
    }
    for (std::size_t key = 0; key < keys_count(); ++key) {
        if ((record.late_of[key] & noticed) != 0) {
            drop_late(record, key);
        }
    }
}

// Handles a heartbeat or a question of a stream whose client has gone. A stream that has no entry
// of the scope does not renew the one that an older stream has left.
void LeaseService::handle_late(Shared& shared, Record& record, std::size_t caller, std::size_t key,
                               Event& event) const {
    const unsigned remembered = record.late_of[key];
    drop_late(record, key);
    std::uint8_t own = (remembered & (1U << key)) != 0 ? record.orphan[key] : std::uint8_t{0};
    if (!grant(shared, own, caller, key)) {
        notice_end(shared, record, 0, remembered, event);
        return;
    }
    record.orphan[key] = own;
    record.orphan_by[key] = 0;
}

// The client is away, or thinks so, and the service does not know.
void LeaseService::leave_behind(Record& record) {
    const auto asks = std::find_if(record.under_way.begin(), record.under_way.end(),
                                   [](std::uint8_t message) { return message >= kQuestion; });
    const std::uint8_t question = asks == record.under_way.end() ? std::uint8_t{0} : *asks;
    const unsigned remembered = keys_remembered(record);
    for (std::size_t key = 0; key < Size::kKeys; ++key) {
        const Renewal& renewal = record.renewal[key];
        const bool sent = renewal.phase == Phase::kAsked || renewal.phase == Phase::kGhost;
        if (sent || question == kQuestion + key) {
            record.late[key] = sent ? renewal.by : record.by;
            record.late_of[key] = static_cast<std::uint8_t>(remembered);
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
    if (repairs(kSvRestartWait)) {
        shared.closed_until = instant(shared.now + longest_ttl());
    }
    for (std::size_t caller = 0; caller < records.size(); ++caller) {
        Record& record = records[caller];
        record.entry = {};
        record.orphan = {};
        record.orphan_by = {};
        record.late = {};
        record.late_of = {};
        if (record.stream == Stream::kOpen) {
            break_connection(record);
        }
    }
}

}  // namespace lockkeeper::leases
