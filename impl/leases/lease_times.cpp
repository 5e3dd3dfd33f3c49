// SPDX-License-Identifier: Apache-2.0

// Tells relative time about the leases (Traits::relative_time, time_left): where instants and
// numbers stand, and from which age on no comparison tells an instant from an older one.
//
// Instants are compared with clocks, and with each other only where neither can be that old: a
// holder's deadline with that of its row. Numbers of acquisitions are compared within a scope.
#include <algorithm>
#include <cstdlib>

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {
namespace {

// Kinds of numbers, one for each scope.
constexpr std::size_t kGenerations = 0;
constexpr std::size_t kTokens = 4;
constexpr std::size_t kNotified = 8;
static_assert(LeaseCoordinator::Size::kKeys <= kTokens);

// The next number that is drawn is greater than all in the state. Whether a token has been drawn
// decides only whether a small one can be.
void tell_last(Tokens& tokens, const Budgets& left, CappedAges& times) {
    const bool asks_for_first = left.small_tokens > 0 && tokens.generations > 0;
    times.last_number(kGenerations, kTokens - kGenerations, 0, asks_for_first ? 1 : 0,
                      tokens.generations);
    times.last_number(kTokens, kNotified - kTokens, Tokens::kMiddle, Tokens::kMiddle,
                      tokens.largest);
    tokens.smallest = Tokens::kMiddle;
}

// Where a token may be drawn that is smaller than all, a fence below all others is still one.
void tell_resource(Resource& resource, std::size_t key, const Budgets& left, CappedAges& times) {
    times.high_water(kGenerations + key, resource.newest);
    if (left.small_tokens > 0) {
        times.number(kTokens + key, resource.fence);
    } else {
        times.high_water(kTokens + key, resource.fence);
    }
}

// `reads_sent`: whether it is asked when the request was sent.
void tell_renewal(Renewal& renewal, bool reads_sent, std::int32_t row_age, CappedAges& times) {
    if (renewal.phase == Phase::kSilent) {
        renewal.by = 0;
    }
    renewal.sent = reads_sent ? renewal.sent : Instant{0};
    times.instant(renewal.at);
    times.instant(renewal.sent);
    if (renewal.is_blocked()) {
        times.instant(renewal.by, row_age);
    } else {
        times.instant(renewal.by);
    }
}

}  // namespace

std::int32_t farthest_clock_of(const LeaseOptions& options) {
    std::int32_t farthest = 0;
    for (const Client& client : options.clients) {
        farthest = std::max(farthest, std::abs(client.clock));
    }
    return farthest +
           options.jump * (options.faults.clock_jumps + options.faults.client_clock_jumps);
}

std::int32_t longest_timer_of(const LeaseOptions& options) {
    std::int32_t longest = options.ttl;
    for (const Client& client : options.clients) {
        const std::int32_t ttl = client.ttl == 0 ? options.ttl : client.ttl;
        longest = std::max(longest, ttl + ttl * std::max(0, client.drift) / 1000);
    }
    return longest;
}

template <class Lease>
CappedAges::Bounds LeaseSide<Lease>::bounds_of(std::int32_t oldest, std::int32_t farthest) const {
    std::int32_t shortest = options_.ttl;
    std::int32_t slowest = 0;
    for (std::size_t caller = 0; caller < options_.clients.size(); ++caller) {
        shortest = std::min(shortest, ttl_of(caller));
        slowest = std::min(slowest, options_.clients[caller].drift);
    }
    const std::int32_t back = farthest_clock_ + std::max(0, options_.grace - shortest);
    const CappedAges::Bounds bounds{oldest, kBeginning + options_.until, farthest};
    const bool is_cut_off = back >= kBeginning || slowest <= -1000 || shortest < 3 ||
                            bounds.now() + std::max(options_.until, farthest) > kInstantMax;
    return is_cut_off ? CappedAges::Bounds{} : bounds;
}
template CappedAges::Bounds LeaseSide<LeaseCoordinator>::bounds_of(std::int32_t,
                                                                   std::int32_t) const;
template CappedAges::Bounds LeaseSide<LeaseDb>::bounds_of(std::int32_t, std::int32_t) const;
template CappedAges::Bounds LeaseSide<LeaseService>::bounds_of(std::int32_t, std::int32_t) const;

// --- coordinator ---------------------------------------------------------------------------------

// It has expired on any clock, and would have been reaped. A holder's deadline is not so old.
std::int32_t LeaseCoordinator::row_age() const {
    const std::int32_t expired = server_jumps() + 2 + (own_.reaps ? options().reaper : 0);
    const std::int32_t kept = options().pause + farthest_clock() + 2;
    const bool is_sound = own_.rules == &kSoundLeaseCoordinatorRules;
    return std::max(expired, kept) + (is_sound ? 0 : longest_timer() + farthest_clock());
}

// A wait that `until` may cut off depends on when that is. Who waits for ever never stops.
CappedAges::Bounds LeaseCoordinator::time_bounds() const {
    bool waits = false;
    std::int32_t renewed = own_.renew;
    for (std::size_t caller = 0; caller < options().clients.size(); ++caller) {
        waits = waits || (wait_of(caller) > 0 && wait_of(caller) < kForEver);
        renewed = std::max(renewed, timer(caller, renew_every(caller)));
    }
    if (waits || !own_.rules->is_relative() || options().until >= kForEver) {
        return {};
    }
    const std::int32_t travels = 2 * options().delay + options().pause;
    const std::int32_t ahead = longest_timer() + renewed + farthest_clock() + options().grace;
    return bounds_of(row_age() + ahead + travels + options().reaper,
                     2 * longest_timer() + ahead + travels + own_.transaction);
}

void LeaseCoordinator::tell_times(Shared& shared, CappedAges& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Row& row = shared.rows[key];
        times.instant(row.deadline, row_age());
        times.number(kTokens + key, row.token);
        times.number(kGenerations + key, row.generation);
        tell_resource(shared.resources[key], key, shared.left, times);
        times.number(kNotified + key, shared.notified[key]);
    }
    tell_last(shared.tokens, shared.left, times);
}

// An answer that is under way has the new deadline; of a request nobody asks when it was sent. What
// is due, and whoever sleeps or waits, is so from now on, for however long.
void LeaseCoordinator::tell_times(Record& record, bool /*is_over*/, CappedAges& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Renewal& renewal = record.renewal[key];
        tell_renewal(renewal, renewal.phase == Phase::kAnswered, 0, times);
        times.instant(record.deadline[key]);
        times.instant(record.cancel_by[key], 0);
        times.instant(record.late_by[key], 0);
        for (std::uint8_t* const token :
             {&record.token[key], &record.late_token[key], &record.nested_token[key]}) {
            times.number(kTokens + key, *token);
        }
        times.number(kGenerations + key, record.generation[key]);
        times.number(kGenerations + key, record.nested_generation[key]);
    }
    times.instant(record.wake, 0);
    times.instant(record.by, 0);
    record.waits_until = record.waits_until == 0 ? Instant{0} : CappedAges::kNever;
    times.instant(record.returned);
}

void LeaseCoordinator::tell_times(Call& call, std::size_t key, CappedAges& times) {
    times.number(kTokens + key, call.token);
    if (call.at == At::kCommitWrite) {
        times.number(kGenerations + key, call.generation);
    }
    if (call.at == At::kWaits) {
        times.number(kNotified + key, call.seen);
    } else {
        call.seen = 0;
    }
}

// --- database leases -----------------------------------------------------------------------------

std::int32_t LeaseDb::row_age() const {
    const bool is_sound = rules_ == &kSoundLeaseDbRules;
    return server_jumps() + 2 + options().reaper +
           (is_sound ? 0 : longest_timer() + farthest_clock());
}

// The row of a transaction that began then is as old as that, less a ttl.
CappedAges::Bounds LeaseDb::time_bounds() const {
    if (!rules_->is_relative()) {
        return {};
    }
    const std::int32_t travels = 2 * options().delay + options().pause;
    const std::int32_t ahead = 2 * longest_timer() + farthest_clock() + options().grace;
    return bounds_of(row_age() + ahead + travels + 2,
                     ahead + travels + longest_timer() + std::max(0, stream_end_));
}

void LeaseDb::tell_times(Shared& shared, CappedAges& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Row& row = shared.rows[key];
        times.instant(row.expires, row_age());
        times.number(kTokens + key, row.token);
        times.number(kGenerations + key, row.generation);
        tell_resource(shared.resources[key], key, shared.left, times);
    }
    tell_last(shared.tokens, shared.left, times);
}

// An insert that is late may wait for a row for longer than it was to be under way.
void LeaseDb::tell_times(Record& record, bool /*is_over*/, CappedAges& times) const {
    const bool has_deadline = repairs(kDbOwnDeadline) || stream_end_ >= 0;
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Renewal& renewal = record.renewal[key];
        tell_renewal(renewal, has_deadline && renewal.phase != Phase::kSilent, row_age(), times);
        times.instant(record.deadline[key]);
        times.instant(record.late_by[key], 0);
        times.number(kTokens + key, record.token[key]);
        times.number(kTokens + key, record.late_token[key]);
        times.number(kGenerations + key, record.generation[key]);
    }
    times.instant(record.wake, 0);
    times.instant(record.by, 0);
    times.instant(record.started);
}

void LeaseDb::tell_times(Call& call, std::size_t key, CappedAges& times) {
    times.number(kTokens + key, call.token);
    times.number(kGenerations + key, call.generation);
}

// --- lease service -------------------------------------------------------------------------------

std::int32_t LeaseService::entry_age() const {
    return rules_ == &kSoundLeaseServiceRules ? 1 : 1 + longest_timer() + farthest_clock();
}

CappedAges::Bounds LeaseService::time_bounds() const {
    if (!rules_->is_relative()) {
        return {};
    }
    const std::int32_t travels = 2 * options().delay + options().pause;
    const std::int32_t ahead = 2 * longest_timer() + farthest_clock() + options().grace;
    return bounds_of(entry_age() + ahead + travels + 2, ahead + travels + longest_timer());
}

// A service that is open again is one that was never closed.
void LeaseService::tell_times(Shared& shared, CappedAges& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Entry& entry = shared.map[key];
        times.instant(entry.expires, entry_age());
        times.number(kTokens + key, entry.token);
        times.number(kGenerations + key, entry.id);
        tell_resource(shared.resources[key], key, shared.left, times);
    }
    if (times.age_of(shared.closed_until) >= 1) {
        shared.closed_until = 0;
    }
    times.instant(shared.closed_until);
    tell_last(shared.tokens, shared.left, times);
}

// Only own deadlines count from when something was sent.
void LeaseService::tell_times(Record& record, bool /*is_over*/, CappedAges& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        tell_renewal(record.renewal[key], repairs(kSvOwnDeadline), 0, times);
        times.instant(record.deadline[key]);
        times.instant(record.orphan_by[key], 0);
        times.instant(record.late[key], 0);
        times.number(kTokens + key, record.token[key]);
        for (std::uint8_t* const entry :
             {&record.entry[key], &record.orphan[key], &record.generation[key]}) {
            times.number(kGenerations + key, *entry);
        }
    }
    times.instant(record.wake, 0);
    times.instant(record.by, 0);
    if (repairs(kSvOwnDeadline)) {
        times.instant(record.sent);
    } else {
        times.mark(record.sent);
    }
}

void LeaseService::tell_times(Call& call, std::size_t key, CappedAges& times) {
    times.number(kTokens + key, call.token);
    times.number(kGenerations + key, call.generation);
}

}  // namespace lockkeeper::leases
