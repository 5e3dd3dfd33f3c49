// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/call_history.hpp"

#include <algorithm>
#include <utility>

#include "scheduler/search/explore.hpp"
#include "validate/histories/check_history.hpp"

namespace lockkeeper {
namespace {

// The largest value that a history may have.
constexpr std::int64_t kValueMax = std::int64_t{1} << 60U;
// A history up to this size is judged at each return, a longer one each time it grows by a quarter.
constexpr std::size_t kSmallHistory = 64;
constexpr std::size_t kExplainedBytesMax = std::size_t{64} << 20U;

CheckLimits limits_of_check() {
    CheckLimits limits;
    limits.seconds_max = 10;
    limits.stop = interrupt_requested;
    limits.ladder = false;
    return limits;
}

bool is_renewal(const Operation& operation) { return operation.verb == Verb::kCall; }

}  // namespace

std::int64_t time_between(std::int64_t from, std::int64_t to) {
    constexpr std::int64_t kFar = std::int64_t{1} << 61U;
    return std::clamp(to, -kFar, kFar) - std::clamp(from, -kFar, kFar);
}

CallHistory::CallHistory(const WorldConfig& world, bool judges_tokens)
    : world_(world), judges_tokens_(judges_tokens) {
    begin();
}

void CallHistory::begin() {
    entries_.clear();
    open_.assign(world_.callers.size(), std::nullopt);
    lives_.assign(world_.callers.size(), 1);
    has_places_ = has_leases_ = has_tokens_ = lacks_tokens_ = false;
    acquires_again_ = is_unexplained_ = false;
    next_look_ = 0;
    reason_.clear();
    text_.clear();
}

void CallHistory::add(Entry entry) {
    const auto put = [&](std::int64_t number) { text_ += std::to_string(number) + ","; };
    put(static_cast<int>(entry.type) * 4 + entry.is_exit * 2 + entry.is_kept);
    put(entry.caller);
    put(entry.life);
    put(static_cast<int>(entry.operation.verb));
    put(entry.operation.key);
    put(entry.operation.capacity());
    put(entry.with.lasts.value_or(INT64_MIN));
    put(entry.with.lasts_in_time.value_or(INT64_MIN));
    put(entry.with.token.value_or(INT64_MIN));
    put(entry.with.again * 4 + entry.with.renews * 2 + entry.with.loses);
    put(entry.time);
    entries_.push_back(std::move(entry));
}

void CallHistory::call(std::size_t caller, const Operation& operation, bool holds,
                       std::int64_t time) {
    open_[caller] = entries_.size();
    has_places_ = has_places_ || (operation.verb == Verb::kAcquire && operation.capacity() > 1);
    Entry entry;
    entry.caller = static_cast<std::uint8_t>(caller);
    entry.life = lives_[caller];
    entry.operation = operation;
    entry.time = time;
    // The answer of any other call says whether that call renews.
    entry.is_kept = is_renewal(operation) ? word_of(world_, operation) == "renew"
                                          : operation.verb == Verb::kAcquire || holds;
    add(std::move(entry));
}

void CallHistory::end(std::size_t caller, Return with, std::int64_t time) {
    Entry& invoked = entries_[*open_[caller]];
    open_[caller].reset();
    Entry entry = invoked;
    entry.type = with.type;
    entry.time = time;
    const bool is_ok = with.type == HistoryType::kOk;
    if (is_renewal(entry.operation)) {
        entry.is_kept = is_ok ? with.renews : entry.is_kept || with.loses;
        invoked.is_kept = entry.is_kept;
    }
    const bool holds = is_ok && (entry.operation.verb == Verb::kAcquire || with.renews);
    if (holds) {
        has_leases_ = has_leases_ || with.lasts.has_value();
        acquires_again_ = acquires_again_ || with.again;
    }
    if (with.token && (*with.token < 0 || *with.token > kValueMax)) {
        with.token.reset();  // no history can have such a token
    }
    has_tokens_ = has_tokens_ || with.token.has_value();
    lacks_tokens_ =
        lacks_tokens_ || (is_ok && entry.operation.verb == Verb::kAcquire && !with.token);
    const bool loses = with.loses;
    entry.with = std::move(with);
    add(std::move(entry));
    if (loses) {
        no_longer(caller, entries_.back().operation, time);
    }
}

void CallHistory::time_passes() {
    for (Entry& entry : entries_) {
        if (entry.with.lasts_in_time && !entry.with.lasts) {
            entry.with.lasts = entry.with.lasts_in_time;
            has_leases_ = true;
            text_ += "t";
        }
    }
}

// An exit that stays open: what the caller had of this key is given back then or later.
void CallHistory::no_longer(std::size_t caller, Operation operation, std::int64_t time) {
    operation.verb = Verb::kCall;
    add_exit(caller, time);
    entries_.back().operation = operation;
    Entry closed = entries_.back();
    closed.type = HistoryType::kInfo;
    add(std::move(closed));
}

void CallHistory::add_exit(std::size_t caller, std::int64_t time) {
    Entry entry;
    entry.caller = static_cast<std::uint8_t>(caller);
    entry.life = lives_[caller];
    entry.is_exit = true;
    entry.time = time;
    add(std::move(entry));
}

void CallHistory::gone(std::size_t caller, std::int64_t time) {
    if (open_[caller]) {
        Entry entry = entries_[*open_[caller]];
        open_[caller].reset();
        entry.type = HistoryType::kInfo;
        entry.time = time;
        entry.with.error = "the process is gone";
        add(std::move(entry));
    }
    add_exit(caller, time);
    ++lives_[caller];
}

std::string CallHistory::model() const {
    if (has_places_) {
        return has_leases_ ? "" : "resizable-semaphore";
    }
    const bool is_fenced = has_tokens_ && !lacks_tokens_ && judges_tokens_;
    if (has_leases_) {
        return acquires_again_ ? "" : is_fenced ? "fenced-lease" : "lease";
    }
    return is_fenced ? "reentrant-fenced-mutex" : "reentrant-mutex";
}

Record CallHistory::record_of(const Entry& entry, bool knows_time) const {
    Record record;
    record.type = entry.type;
    record.process = world_.callers[entry.caller].name +
                     (entry.life > 1 ? "/" + std::to_string(entry.life) : "");
    record.time = entry.time;
    record.error = entry.with.error;
    const Operation& operation = entry.operation;
    if (entry.is_exit) {
        record.f = "exit";
        // A caller that goes on exits from this key alone.
        record.key = is_renewal(operation) ? world_.keys[operation.key] : "";
        return record;
    }
    const std::string word = word_of(world_, operation);
    record.f = is_renewal(operation) ? "renew" : word;
    record.key = world_.keys[operation.key];
    if (word != record.f) {
        record.value.set("call", Datum::of(word));
    }
    if (entry.type == HistoryType::kInvoke && operation.verb == Verb::kAcquire) {
        record.value.set("max_per", Datum::of(std::int64_t{operation.place_capacity}));
        record.value.set("buckets", Datum::of(std::int64_t{operation.places}));
    }
    const bool holds = entry.type == HistoryType::kOk && operation.verb != Verb::kRelease;
    if (entry.type == HistoryType::kInvoke && operation.verb != Verb::kRelease && knows_time) {
        record.value.set("ttl", Datum::of(std::int64_t{0}));  // unless the return says otherwise
    }
    if (holds && knows_time) {
        const std::int64_t lasts = entry.with.lasts.value_or(kValueMax);
        record.value.set("ttl", Datum::of(std::clamp<std::int64_t>(lasts, 0, kValueMax)));
    }
    if (holds && entry.with.token) {
        record.value.set("token", Datum::of(*entry.with.token));
    }
    return record;
}

RecordedHistory CallHistory::history() const {
    RecordedHistory out;
    out.file = "the history";
    for (const Entry& entry : entries_) {
        // Models of locks without leases know no renewals.
        const bool is_known = has_leases_ || entry.is_exit || !is_renewal(entry.operation);
        if (entry.is_kept && is_known) {
            Record record = record_of(entry, has_leases_);
            record.index = static_cast<std::int64_t>(out.records.size());
            out.records.push_back(std::move(record));
        }
    }
    return out;
}

bool CallHistory::is_explained(bool all) {
    const std::string name = model();
    if (is_unexplained_ || name.empty() || (!all && entries_.size() < next_look_)) {
        return !is_unexplained_;
    }
    next_look_ = entries_.size() < kSmallHistory ? 0 : entries_.size() + entries_.size() / 4;
    if (explained_.count(text_) > 0) {
        return true;
    }
    const ModelChoice choice = std::get<ModelChoice>(parse_model(name));
    const auto checked = check_history(history(), choice, limits_of_check());
    const auto* check = std::get_if<HistoryCheck>(&checked);
    if (check == nullptr || (is<Inconclusive>(check->verdict) && check->operations > 0)) {
        ++undecided_;
        return true;
    }
    if (is<Violated>(check->verdict)) {
        is_unexplained_ = true;
        if (!check->explanations.empty()) {
            const Explanation& first = check->explanations.front();
            reason_ = "key " + first.key + ": " + first.reason;
        }
        return false;
    }
    explained_bytes_ += text_.size();
    if (explained_bytes_ > kExplainedBytesMax) {
        explained_.clear();
        explained_bytes_ = text_.size();
    }
    explained_.insert(text_);
    return true;
}

std::uint64_t CallHistory::take_undecided() { return std::exchange(undecided_, 0); }

JudgedCalls CallHistory::recorded() const { return {history(), model(), reason_}; }

}  // namespace lockkeeper
