// SPDX-License-Identifier: Apache-2.0

// How long virtual time lasts in monglock's locks, and what relative time has to know of them
// (Traits::relative_time): where instants and the numbers of acquisitions stand, and how far apart
// two instants can be and still be compared.
#include <algorithm>
#include <cstdlib>

#include "impl/monglock/monglock_rules.hpp"
#include "model/relative_time.hpp"

namespace lockkeeper::monglock {
namespace {

// How far a clock can be ahead of the true time, or behind it.
std::int32_t farthest_clock(const ClientSideOptions& options) {
    std::int32_t farthest = 0;
    for (const Client& client : options.clients) {
        farthest = std::max(farthest, std::abs(client.clock));
    }
    return farthest + options.jump * options.faults.clock_jumps;
}

// `shortest`, `longest`: of the locks' own periods. No bounds where a reading or a deadline is cut
// off at the beginning of the numbers, or where a clock runs at a pace of its own.
RelativeTime::Bounds bounds_of(const ClientSideOptions& options, std::int32_t shortest,
                               std::int32_t longest) {
    const std::int32_t farthest = farthest_clock(options);
    const bool drifts = std::any_of(options.clients.begin(), options.clients.end(),
                                    [](const Client& client) { return client.drift != 0; });
    if (drifts || farthest + std::max(0, options.grace - shortest) >= kBeginning) {
        return {};
    }
    // Once more for each side of a deadline, where time stops, too.
    const std::int32_t period =
        std::max(longest, options.grace) + options.pause_most + 2 * farthest + 2;
    return {.period = period, .behind = farthest};
}

}  // namespace

Instant end_of_time(const ClientSideOptions& options) {
    std::int32_t end = kInstantMax;
    for (const Client& client : options.clients) {
        const std::int32_t ahead =
            std::max(0, client.clock) + options.jump * options.faults.clock_jumps;
        const std::int32_t pace = 1000 + std::max(0, client.drift);
        end = std::min(end, kBeginning + (kInstantMax - kBeginning - ahead) * 1000 / pace);
    }
    return static_cast<Instant>(std::max<std::int32_t>(end, kBeginning));
}

// --- write lock ----------------------------------------------------------------------------------

RelativeTime::Bounds WriteLock::time_bounds() const {
    if (!rules_->is_relative()) {
        return {};
    }
    const auto [shortest, longest] = std::minmax_element(periods_.begin(), periods_.end());
    RelativeTime::Bounds bounds =
        bounds_of(common(), std::min(lock_timeout_, *shortest), std::max(lock_timeout_, *longest));
    bounds.late = latest_tokens();
    bounds.period += bounds.exist() ? bounds.late : 0;
    bounds.goes_by_key = goes_by_key_;
    if (bounds.goes_by_key) {
        std::copy(periods_.begin(), periods_.end(), bounds.periods.begin());
    }
    return bounds;
}

// True: releases name an acquisition, and no write is undone, so that nothing depends on the tokens
// and stamps that are told. (That is known of the sound rules alone.)
bool WriteLock::tells_no_tokens() const {
    const Budgets& faults = common().faults;
    return rules_ == &kSoundWriteLockRules && repairs(kUniqueIds) && !keeps_newest_write(faults) &&
           periods_.size() <= RelativeTime::Bounds{}.periods.size() &&
           *std::min_element(periods_.begin(), periods_.end()) > 0;
}

// A take that comes later than the next one makes its timestamp one larger than that one's, however
// old both are. So the gap after them becomes narrower, by one for each reading that is so late.
std::int32_t WriteLock::latest_tokens() const {
    const Budgets& faults = common().faults;
    return !repairs(kMonotoneTokens)
               ? 0
               : static_cast<std::int32_t>(common().clients.size()) + 1 + faults.late_requests +
                     faults.copies.resends() + faults.copies.duplicates();
}

// No step asks how old an inactive lock is: it does not become active again. An earlier copy may be
// brought back; that copy is active, and told as such.
void WriteLock::tell_times(Shared& shared, RelativeTime& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        Document& document = shared.documents[key];
        if (goes_by_key_) {
            times.lock_of(key, document.lock.timestamp, document.lock.active == Active::kYes);
            times.number(key, document.lock.generation);
            times.last_number(key, document.generations);
            continue;
        }
        for (Field* const field : {&document.lock, &document.older[0], &document.older[1]}) {
            field->active == Active::kYes ? times.instant(field->timestamp)
                                          : times.stamp(field->timestamp);
            times.number(key, field->generation);
        }
        times.last_number(key, document.generations);
    }
    Stray& stray = shared.stray;
    if (stray.what() == Stray::What::kTake) {
        goes_by_key_ ? times.taking(stray.key(), stray.timestamp) : times.reading(stray.timestamp);
    } else {
        times.token(stray.timestamp);
    }
    times.number(stray.key(), stray.id);
}

// A client whose script is over can be killed only if its record is not empty, so a token stays
// one.
void WriteLock::tell_times(Record& record, bool is_over, RelativeTime& times) const {
    for (std::size_t key = 0; key < keys_count(); ++key) {
        for (Instant* const token : {&record.token[key], &record.earlier_token[key]}) {
            *token = is_over && *token != 0 ? RelativeTime::kNoStamp : *token;
            times.token(*token);
        }
        record.earlier_generation[key] = is_over ? std::uint8_t{0} : record.earlier_generation[key];
        times.number(key, record.generation[key]);
        times.number(key, record.earlier_generation[key]);
        times.number(key, record.left[key]);
    }
    times.instants(record.deadline);
    times.instant(record.wake);
    goes_by_key_ ? times.told_reading(record.reading) : times.reading(record.reading);
}

void WriteLock::tell_times(Call& call, std::size_t key, RelativeTime& times) {
    call.at == At::kTake ? times.takes(key) : times.takes_none();
    times.token(call.token);
    times.number(key, call.id);
}

// --- multi lock ----------------------------------------------------------------------------------

RelativeTime::Bounds MultiLock::time_bounds() const {
    std::int32_t shortest = kNeverOld;
    std::int32_t longest = 0;
    const auto add = [&](std::int32_t period) {
        longest = period < kNeverOld ? std::max(longest, period) : longest;
    };
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        shortest = std::min(shortest, options_.lock_timeouts[tag]);
        add(options_.lock_timeouts[tag]);
        for (std::size_t caller = 0; caller < common().clients.size(); ++caller) {
            add(timeout_of(caller, tag));
        }
    }
    RelativeTime::Bounds bounds = bounds_of(common(), shortest, longest);
    bounds.orders_old = options_.write_locks != 0;
    return bounds;
}

void MultiLock::tell_times(Shared& shared, RelativeTime& times) const {
    for (Lock* const lock : {&shared.lock, &shared.older[0], &shared.older[1]}) {
        for (std::size_t tag = 0; tag < keys_count(); ++tag) {
            for (Entry& entry : (*lock)[tag]) {
                is_write_lock(tag) && (entry.granted & kActive) == 0 && !asks_for_own_age()
                    ? times.stamp(entry.timestamp)
                    : times.instant(entry.timestamp);
                times.number(0, entry.id);
            }
        }
    }
    times.reading(shared.stray.timestamp);
    times.reading(shared.stray.judged_by);
    times.number(0, shared.stray.id);
    times.last_number(0, shared.ids);
}

// Whether a client asks how old its own lock is. The time of its lock is then compared with that of
// a write lock, which is therefore no stamp.
bool MultiLock::asks_for_own_age() const {
    return options_.asks_again || repairs(kOwnEntry) || repairs(kMultiOwnDeadline);
}

// Tells the time of the lock that a client was given, or is given. The published ask-again compares
// others' entries with it. Where no client asks for its age, entries are removed by their id.
void MultiLock::tell_time_of_own(Instant& timestamp, std::size_t tag, RelativeTime& times) const {
    if (options_.asks_again && !repairs(kCurrentClock)) {
        times.reading(timestamp);
    } else if (asks_for_own_age()) {
        times.instant(timestamp);
    } else if (is_write_lock(tag)) {
        times.token(timestamp);
    } else {
        timestamp = 0;
    }
}

void MultiLock::tell_times(Record& record, bool is_over, RelativeTime& times) const {
    for (std::size_t tag = 0; tag < keys_count(); ++tag) {
        record.timestamp[tag] = is_over ? Instant{0} : record.timestamp[tag];
        tell_time_of_own(record.timestamp[tag], tag, times);
        times.number(0, record.id[tag]);
        times.number(0, record.left[tag]);
    }
    times.instants(record.deadline);
    times.instant(record.wake);
    times.reading(record.reading);
    times.reading(record.asked);
}

void MultiLock::tell_times(Call& call, std::size_t tag, RelativeTime& times) const {
    tell_time_of_own(call.timestamp, tag, times);
    times.number(0, call.id);
}

}  // namespace lockkeeper::monglock
