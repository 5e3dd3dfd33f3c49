// SPDX-License-Identifier: Apache-2.0
#include "impl/monglock/write_lock_by_record.hpp"

#include <algorithm>

namespace lockkeeper::monglock {
namespace {

constexpr std::int32_t kPeriodMost = 20'000;

std::int32_t longest_period(const WriteLockOptions& options) {
    std::int32_t longest = options.lock_timeout;
    for (const Client& client : options.clients) {
        longest = std::max(longest, client.lock_timeout);
        for (const std::int32_t period : client.call_timeouts) {
            longest = std::max(longest, period);
        }
    }
    return longest;
}

}  // namespace

std::string WriteLockByRecord::why_not(const WriteLockOptions& options, const WorldConfig& world) {
    constexpr std::uint16_t kNeeded = kUniqueIds | kOwnDeadline | kMonotoneTokens;
    if (options.rules != &kSoundWriteLockRules) {
        return "a rule of it is another one";
    }
    if ((options.repairs & kNeeded) != kNeeded) {
        return "without unique_ids, own_deadline and monotone_tokens instants are compared with "
               "each other";
    }
    const auto why_not_call = [](unsigned word) {
        return static_cast<WriteLockCall>(word) == WriteLockCall::kReleaseEarlier
                   ? "callers release with an earlier timestamp"
                   : std::string();
    };
    if (std::string why = why_not_used(options.faults, world, why_not_call); !why.empty()) {
        return why;
    }
    if (options.keys.size() != 1) {
        return "there are several documents";
    }
    const WriteLock lock(with_clients(options, client_of_each_kind(options.clients, world)));
    return lock.time_bounds().exist() && longest_period(options) <= kPeriodMost
               ? ""
               : "its instants are not relative to now, or a period is longer than 20000";
}

WriteLockByRecord::WriteLockByRecord(const WriteLockOptions& options, const WorldConfig& world)
    : CallersByKind(options, world),
      reading_oldest_(std::max(1, options.lock_timeout - options.grace)) {
    LOCKKEEPER_CHECK(why_not(options, world).empty());
    std::int32_t behind = 0;
    for (const monglock::Client& client : client_of_each_kind(options.clients, world)) {
        clocks_.push_back(client.clock);
        behind = std::min(behind, client.clock);
    }
    const std::int32_t longest = longest_period(options);
    now_ = instant(kBeginning + reading_oldest_ + longest);
    old_for_all_ = longest - behind;
    oldest_ = instant(now_ + behind - reading_oldest_ - longest);
}

// --- what is forgotten -----------------------------------------------------------------------

void WriteLockByRecord::forget_the_past(Shared& shared) const {
    shared.lock.documents[kKey].generations = kOther;
    WriteLock::Field& lock = shared.lock.documents[kKey].lock;
    const bool is_old = now_ - lock.timestamp >= old_for_all_;
    if (lock.active != WriteLock::Active::kAbsent) {
        lock.timestamp = lock.active == WriteLock::Active::kNo || is_old ? oldest_ : lock.timestamp;
    }
}

// Nothing compares the tokens that clients were told.
void WriteLockByRecord::forget_the_past(Record& record, Call* call) const {
    record.lock.token = {};
    if (record.lock.reading != 0) {
        record.lock.reading = std::max(record.lock.reading, stalest_reading(record));
    }
    if (call != nullptr) {
        call->token = 0;
    }
}

bool WriteLockByRecord::has_number(const Record& record, const Call* call, unsigned number) {
    return record.lock.generation[kKey] == number || record.lock.left[kKey] == number ||
           (call != nullptr && call->id == number);
}

// The new lock has the document's number, and whoever had that one has the number of another.
void WriteLockByRecord::renumber(Record& record, Call* call) {
    const auto change = [](auto& number) {
        if (number == kRow) {
            number = kOther;
        } else if (number == kNew) {
            number = kRow;
        }
    };
    change(record.lock.generation[kKey]);
    change(record.lock.left[kKey]);
    if (call != nullptr) {
        change(call->id);
    }
}

// After a step of one client. `call`: it goes on.
void WriteLockByRecord::settle(const Before& before, Shared& shared, Record& record,
                               Call* call) const {
    WriteLock::Field& lock = shared.lock.documents[kKey].lock;
    const Instant reading = before.record.lock.reading;
    if (lock.generation == kNew) {
        lock.timestamp = reading <= stalest_reading(before.record) ? oldest_ : reading;
        shared.is_taken_over = before.may_be_others ? 1 : 0;
        if (!before.may_be_others) {
            lock.generation = kRow;
            renumber(record, call);
        }
    } else if (before.has_row && lock.active == WriteLock::Active::kNo &&
               !has_number(record, call, kRow)) {
        lock.generation = 0;  // nobody has its number any more
    }
    forget_the_past(shared);
    forget_the_past(record, call);
}

// --- steps -----------------------------------------------------------------------------------

WriteLockByRecord::Shared WriteLockByRecord::initial_shared() const {
    Shared shared{all_.initial_shared(), 0};
    shared.lock.now = now_;
    forget_the_past(shared);
    return shared;
}

Outcome WriteLockByRecord::step(Shared& shared, Record& record, Call& call,
                                const Operation& operation, Event& event) const {
    record.kind = operation.signal;
    const Before before = before_of(shared, record, &call);
    const Outcome outcome = kind_of(record).step(shared.lock, record.lock, call, operation, event);
    settle(before, shared, record, outcome == Outcome::kContinues ? &call : nullptr);
    return outcome;
}

void WriteLockByRecord::on_death(Shared& shared, Record& record) const {
    kind_of(record).on_death(shared.lock, record.lock);
    forget_the_past(record, nullptr);
}

void WriteLockByRecord::background_of(const Shared& shared, const Record& record,
                                      std::size_t /*caller*/, ActionList& out) const {
    if (shared.is_taken_over == 0) {
        Agenda unused(shared.lock.now);
        kind_of(record).collect(shared.lock, one_record(record.lock), unused, out);
    }
}

void WriteLockByRecord::background_elsewhere(const Shared& shared, ActionList& out) const {
    if (shared.is_taken_over != 0) {
        out.add({0, ActionKind::kBackground, kTellsAll});
    } else {
        out.add({0, ActionKind::kTime, 1});
    }
}

bool WriteLockByRecord::late(const Shared& shared, const Record& record) const {
    Agenda agenda(shared.lock.now);
    ActionList unused;
    kind_of(record).collect(shared.lock, one_record(record.lock), agenda, unused);
    return agenda.latest <= shared.lock.now;
}

void WriteLockByRecord::apply_background(Shared& shared, Record& record, Action action,
                                         Event& event) const {
    kind_of(record).apply_background(shared.lock, one_record(record.lock), action, event);
    forget_the_past(record, nullptr);
}

bool WriteLockByRecord::apply_background(Shared& shared, Action action, Event&) const {
    WriteLock::Field& lock = shared.lock.documents[kKey].lock;
    if (action.kind == ActionKind::kTime) {
        lock.timestamp -= lock.active == WriteLock::Active::kAbsent ? 0 : 1;
    } else {
        lock.generation = kRow;
        shared.is_taken_over = 0;
    }
    forget_the_past(shared);
    return true;
}

Heard WriteLockByRecord::hear(const Shared&, Record& record, Call& call, Action action) const {
    if (action.kind == ActionKind::kTime) {
        Instant& deadline = record.lock.deadline[kKey];
        deadline -= deadline == 0 || deadline > kInstantMax ? 0 : 1;
        record.lock.reading -= record.lock.reading == 0 ? 0 : 1;
    } else {
        renumber(record, &call);
    }
    forget_the_past(record, &call);
    return {};
}

// --- what it shows ---------------------------------------------------------------------------

bool WriteLockByRecord::is_phantom(const Shared& shared, const Record& record,
                                   const CallerObservation& caller, std::size_t key) const {
    const WriteLock::Field& lock = shared.lock.documents[key].lock;
    const bool is_left =
        lock.active == WriteLock::Active::kYes && lock.generation == record.lock.left[key];
    const bool is_unaware = caller.believed[key] == 0 && holds(shared, record, key);
    return !caller.dead && !caller.calling && (is_left || is_unaware);
}

std::string WriteLockByRecord::describe_background(const Shared& shared,
                                                   Records<const Record> records,
                                                   Action action) const {
    if (is_elsewhere(action)) {
        return "the lock that was taken over is another one for all";
    }
    return CallersByKind::describe_background(shared, records, action);
}

}  // namespace lockkeeper::monglock
