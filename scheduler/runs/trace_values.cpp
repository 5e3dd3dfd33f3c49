// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/trace_values.hpp"

#include <algorithm>
#include <limits>

namespace lockkeeper {
namespace {

std::int32_t as_value(std::uint32_t number) {
    constexpr auto kMost = static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max());
    return static_cast<std::int32_t>(std::min(number, kMost));
}

std::string name_of_caller(const TraceSubject& subject, std::size_t caller) {
    return subject.world != nullptr && caller < subject.world->callers.size()
               ? subject.world->callers[caller].name
               : "caller " + std::to_string(caller + 1);
}

std::int32_t count_of(const MessagesUnderWay& messages) {
    std::int32_t sum = messages.request + messages.reply + messages.word_of_death;
    for (std::size_t key = 0; key < kKeysMax; ++key) {
        sum += messages.to_servers[key] + messages.to_caller[key];
    }
    return sum;
}

// True while all callers together hold no more than may be held.
bool is_within(const ShownState& state, std::size_t key, std::int32_t capacity) {
    std::uint32_t taken = 0;
    for (std::size_t i = 0; i < state.seen.callers_count; ++i) {
        taken += std::max(state.seen.callers[i].believed[key], state.callers[i].granted[key]);
    }
    return capacity == kNotShown || taken <= static_cast<std::uint32_t>(capacity);
}

// The locks of a key that may be held at once, as an acquire that begins now sees it.
std::int32_t capacity_of(const TraceSubject& subject, std::size_t key, std::size_t resizes) {
    if (subject.world == nullptr) {
        return kNotShown;
    }
    const auto& views = subject.world->views;
    std::uint32_t most = 0;
    for (const CallerConfig& caller : subject.world->callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kAcquire && operation.key == key) {
                const std::uint32_t places = operation.follows_resizes && !views.empty()
                                                 ? views[std::min(resizes, views.size() - 1)]
                                                 : operation.places;
                most = std::max(most, places * operation.place_capacity);
            }
        }
    }
    return most == 0 ? kNotShown : as_value(most);
}

}  // namespace

std::vector<TraceParty> parties_of(const TraceSubject& subject, std::size_t callers_count,
                                   std::string_view servers_name) {
    std::vector<TraceParty> parties;
    for (std::size_t i = 0; i < callers_count; ++i) {
        parties.push_back({name_of_caller(subject, i), Doer::kCaller});
    }
    parties.push_back({std::string(servers_name), Doer::kServers});
    parties.push_back({"clock", Doer::kClock});
    parties.push_back({"world", Doer::kWorld});
    return parties;
}

std::vector<std::string> keys_of(const TraceSubject& subject, std::size_t keys_count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < keys_count; ++i) {
        const bool is_known = subject.world != nullptr && i < subject.world->keys.size();
        keys.push_back(is_known ? subject.world->keys[i] : "key " + std::to_string(i + 1));
    }
    return keys;
}

std::uint32_t party_index(Doer doer, Action action, std::size_t callers_count) {
    const auto callers = static_cast<std::uint32_t>(callers_count);
    switch (doer) {
        case Doer::kCaller: return std::min<std::uint32_t>(action.actor, callers);
        case Doer::kServers: return callers;
        case Doer::kClock: return callers + 1;
        case Doer::kWorld: return callers + 2;
    }
    return callers + 2;
}

void ValueWatch::begin(const ShownState& state) {
    find_capacities(state.seen.keys_count);
    look(state);
    initial_ = now_;
    changes_.clear();
}

std::vector<ShownChange> ValueWatch::changes(const ShownState& state, const Event& event) {
    if (event.is(kResized)) {
        ++resizes_;
        find_capacities(state.seen.keys_count);
    }
    changes_.clear();
    look(state);
    return changes_;
}

void ValueWatch::find_capacities(std::size_t keys_count) {
    capacities_.clear();
    for (std::size_t key = 0; key < keys_count; ++key) {
        capacities_.push_back(capacity_of(subject_, key, resizes_));
    }
}

void ValueWatch::look(const ShownState& state) {
    next_ = 0;
    set({ShownKind::kAtRest, {}, {}, 0}, state.seen.quiescent ? 1 : 0);
    set({ShownKind::kNow, {}, {}, 0}, state.seen.now);
    for (std::uint8_t key = 0; key < state.seen.keys_count; ++key) {
        look_at_key(state, key);
    }
    for (std::uint8_t caller = 0; caller < state.seen.callers_count; ++caller) {
        look_at_caller(state, caller);
    }
}

void ValueWatch::look_at_key(const ShownState& state, std::uint8_t key) {
    const KeyObservation& seen = state.seen.keys[key];
    if (has(kHasCapacity)) {
        set({ShownKind::kCapacity, {}, key, 0}, capacities_[key]);
    }
    // Outside code keeps its own count, which is not shown.
    if (has(kHasCapacity) && !has(kShowsHistory)) {
        set({ShownKind::kCounted, {}, key, 0}, as_value(seen.counted_most));
    }
    for (std::size_t i = 0; i < seen.counters.size(); ++i) {
        set({ShownKind::kCounter, {}, key, static_cast<std::uint16_t>(i + 1)}, seen.counters[i]);
    }
    // Counters that were there, and are not any more.
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const ShownField& field = fields_[i];
        if (field.kind == ShownKind::kCounter && field.key == key &&
            field.place > seen.counters.size()) {
            next_ = i;
            set(ShownField(field), kNotShown);
        }
    }
}

void ValueWatch::look_at_caller(const ShownState& state, std::uint8_t caller) {
    const CallerObservation& seen = state.seen.callers[caller];
    for (std::uint8_t key = 0; key < state.seen.keys_count; ++key) {
        look_at_holdings(state, caller, key);
        if (has(kShowsReferences)) {
            set({ShownKind::kReferences, caller, key, 0}, as_value(seen.references[key]));
        }
    }
    set({ShownKind::kDead, caller, {}, 0}, seen.dead ? 1 : 0);
    set({ShownKind::kCalling, caller, {}, 0}, seen.calling ? 1 : 0);
    set({ShownKind::kFinished, caller, {}, 0}, seen.finished ? 1 : 0);
    set({ShownKind::kInFlight, caller, {}, 0}, count_of(state.callers[caller].messages));
}

// Where servers keep a record of their own an effect is safe while it grants the lock; elsewhere
// while no more locks are out than may be.
void ValueWatch::look_at_holdings(const ShownState& state, std::uint8_t caller, std::uint8_t key) {
    const std::uint32_t believed = state.seen.callers[caller].believed[key];
    const std::uint32_t granted = state.callers[caller].granted[key];
    const bool is_safe =
        has(kShowsGrants) ? !state.seen.grants_overlap : is_within(state, key, capacities_[key]);
    set({ShownKind::kBelieved, caller, key, 0}, as_value(believed));
    if (!has(kShowsHistory)) {
        set({ShownKind::kGranted, caller, key, 0}, as_value(granted));
    }
    set({ShownKind::kProtected, caller, key, 0},
        is_safe ? as_value(std::min(believed, granted)) : 0);
}

// Fields are set in the same order each time, so the search begins where the last one ended.
void ValueWatch::set(const ShownField& field, std::int32_t value) {
    if (next_ >= fields_.size() || !(fields_[next_] == field)) {
        next_ = static_cast<std::size_t>(std::find(fields_.begin(), fields_.end(), field) -
                                         fields_.begin());
    }
    if (next_ == fields_.size()) {
        fields_.push_back(field);
        now_.push_back(kNotShown);
        initial_.push_back(kNotShown);
    }
    if (now_[next_] != value) {
        now_[next_] = value;
        changes_.push_back({static_cast<std::uint32_t>(next_), value});
    }
    ++next_;
}

std::vector<MessageWatch::Way> MessageWatch::ways_of(const MessagesUnderWay& messages) {
    std::vector<Way> ways{{false, false, {}, messages.request, {}},
                          {true, false, {}, messages.reply, {}},
                          {false, true, {}, messages.word_of_death, {}}};
    for (std::uint8_t key = 0; key < kKeysMax; ++key) {
        ways.push_back({false, false, key, messages.to_servers[key], {}});
        ways.push_back({true, false, key, messages.to_caller[key], {}});
    }
    return ways;
}

// Messages under way at the beginning were sent before the run: they are not shown.
void MessageWatch::begin(const std::vector<CallerShown>& callers) {
    for (const CallerShown& caller : callers) {
        callers_.push_back({ways_of(caller.messages), 0});
    }
}

void MessageWatch::look(const std::vector<CallerShown>& callers, Action action, const Event& event,
                        std::size_t step) {
    const bool dies = event.is(kCrashed) || event.is(kCallerDied);
    const bool is_lost = dies || event.is(kServersDied) || action.kind == ActionKind::kDisturb;
    for (std::size_t i = 0; i < callers.size(); ++i) {
        callers_[i].died = dies && event.caller == i ? step : callers_[i].died;
        const std::vector<Way> after = ways_of(callers[i].messages);
        for (std::size_t way = 0; way < after.size(); ++way) {
            move(i, callers_[i].ways[way], after[way].count, step, is_lost);
        }
    }
}

void MessageWatch::move(std::size_t caller, Way& way, std::uint8_t count, std::size_t step,
                        bool is_lost) {
    const auto self = static_cast<std::uint32_t>(caller);
    const auto servers = static_cast<std::uint32_t>(callers_.size());
    for (; way.count > count; --way.count) {
        if (!way.under_way.empty()) {
            messages_[way.under_way.front()].arrives = step;
            messages_[way.under_way.front()].is_lost = is_lost;
            way.under_way.pop_front();
        }
    }
    for (; way.count < count; ++way.count) {
        const std::size_t died = callers_[caller].died;
        way.under_way.push_back(messages_.size());
        messages_.push_back({way.to_caller ? servers : self, way.to_caller ? self : servers,
                             way.of_death && died != 0 ? died : step, 0, false, way.of_death,
                             way.key});
    }
}

}  // namespace lockkeeper
