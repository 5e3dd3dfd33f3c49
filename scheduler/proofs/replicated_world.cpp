// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/replicated_world.hpp"

#include <cstring>
#include <set>
#include <utility>

#include "model/check.hpp"

namespace lockkeeper::proofs {
namespace {

std::byte* at(ReplicatedWorld::State& state, std::size_t offset) {
    return state.bytes.data() + offset;
}
const std::byte* at(const ReplicatedWorld::State& state, std::size_t offset) {
    return state.bytes.data() + offset;
}
Bytes bytes_from(const ReplicatedWorld::State& state, std::size_t offset, std::size_t size) {
    return {reinterpret_cast<const char*>(at(state, offset)), size};
}

}  // namespace

ReplicatedWorld::ReplicatedWorld(ErasedSystem system, ErasedSystem one_of_each,
                                 const ErasedSystem& one_is_absent)
    : system_(std::move(system)),
      one_of_each_(std::move(one_of_each)),
      layout_(system_.parts()),
      slots_count_(system_.slots_count()),
      used_bytes_(system_.used_bytes()),
      shared_at_(layout_.slots_max * layout_.slot_bytes),
      initial_(system_.initial()) {
    if (slots_count_ == 0) {
        throw DoesNotFit("the system does not say which part of its state belongs to which caller");
    }
    for (std::size_t slot = 0; slot < slots_count_; ++slot) {
        if (slot == 0 || system_.group(slot) != system_.group(slot - 1)) {
            groups_.push_back({slot, 0});
        }
        ++groups_.back().size;
    }
    for (const ErasedSystem* other : {&std::as_const(one_of_each_), &one_is_absent}) {
        if (other->used_bytes() != used_bytes_ || other->parts().slots_max != layout_.slots_max ||
            other->parts().slot_bytes != layout_.slot_bytes) {
            throw DoesNotFit("few callers have another compiled size than more");
        }
    }
    LOCKKEEPER_CHECK(one_of_each_.slots_count() == groups_.size());
    const State few = one_of_each_.initial();
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        if (!has_shared(few, shared_of(initial_)) ||
            !has_slot(initial_, groups_[group].first, slot_of(few, group))) {
            throw DoesNotFit("few callers begin otherwise than more");
        }
    }
    crashes_at_ = find_count_of_crashes();
    absent_ = slot_of(one_is_absent.initial(), one_is_absent.slots_count() - 1);
    initial_shared_ = shared_of(initial_);
    empty_ = initial_;
    for (std::size_t slot = 0; slot < slots_count_; ++slot) {
        put_slot(empty_, slot, absent_);
    }
}

// The one byte behind what is shared that the crash of a caller makes larger.
std::size_t ReplicatedWorld::find_count_of_crashes() const {
    ActionList actions;
    system_.enabled(initial_, actions);
    for (const Action action : actions) {
        if (action.kind != ActionKind::kCrash) {
            continue;
        }
        State after = initial_;
        system_.apply(after, action);
        std::size_t found = kNowhere;
        for (std::size_t i = shared_at_ + layout_.shared_bytes; i < used_bytes_; ++i) {
            if (*at(after, i) != *at(initial_, i)) {
                const bool counts = found == kNowhere && *at(after, i) == std::byte{1};
                if (!counts) {
                    throw DoesNotFit("a crash changes what no caller has, beside its count");
                }
                found = i;
            }
        }
        return found;
    }
    return kNowhere;
}

std::size_t ReplicatedWorld::group_of(std::size_t slot) const {
    std::size_t group = 0;
    while (group + 1 < groups_.size() && slot >= groups_[group + 1].first) {
        ++group;
    }
    return group;
}

Local ReplicatedWorld::initial_local(std::size_t group) const {
    return {group, slot_of(initial_, groups_[group].first)};
}

void ReplicatedWorld::put_shared(State& state, const Bytes& shared) const {
    std::memcpy(at(state, shared_at_), shared.data(), shared_bytes());
}

void ReplicatedWorld::put_slot(State& state, std::size_t slot, const Bytes& local) const {
    std::memcpy(at(state, slot * layout_.slot_bytes), local.data(), layout_.slot_bytes);
}

void ReplicatedWorld::copy(State& to, const State& from) const {
    std::memcpy(at(to, 0), at(from, 0), used_bytes_);
}

Bytes ReplicatedWorld::shared_of(const State& state) const {
    return bytes_from(state, shared_at_, shared_bytes());
}

Bytes ReplicatedWorld::slot_of(const State& state, std::size_t slot) const {
    return bytes_from(state, slot * layout_.slot_bytes, layout_.slot_bytes);
}

bool ReplicatedWorld::has_slot(const State& state, std::size_t slot, const Bytes& local) const {
    return std::memcmp(at(state, slot * layout_.slot_bytes), local.data(), layout_.slot_bytes) == 0;
}

bool ReplicatedWorld::has_shared(const State& state, const Bytes& shared) const {
    return std::memcmp(at(state, shared_at_), shared.data(), shared_bytes()) == 0;
}

std::string ReplicatedWorld::why_not_by_record() const {
    if (system_.acts_by_record()) {
        return "";
    }
    constexpr std::size_t kStatesMost = 5'000;
    std::vector<State> open{initial_};
    std::set<Bytes> seen{bytes_from(initial_, 0, used_bytes_)};
    ActionList actions;
    for (std::size_t i = 0; i < open.size() && open.size() < kStatesMost; ++i) {
        system_.enabled(open[i], actions);
        for (const Action action : actions) {
            if (action.kind == ActionKind::kBackground || action.kind == ActionKind::kTime) {
                return "the step \"" + system_.describe(open[i], action) +
                       "\" is handed the records of all callers";
            }
            State after = open[i];
            static_cast<void>(take(after, action));
            if (seen.insert(bytes_from(after, 0, used_bytes_)).second) {
                open.push_back(after);
            }
        }
    }
    return "its functions are handed the records of all callers (Traits::by_record)";
}

ReplicatedWorld::State ReplicatedWorld::state_of(const Bytes& shared,
                                                 const std::vector<const Local*>& callers) const {
    State state = empty_;
    put_shared(state, shared);
    std::vector<std::size_t> taken(groups_.size());
    for (const Local* caller : callers) {
        const Group& group = groups_[caller->group];
        if (taken[caller->group] == group.size) {
            throw DoesNotFit("there is no room for all callers");
        }
        put_slot(state, group.first + taken[caller->group]++, caller->slot);
    }
    return state;
}

std::vector<ReplicatedWorld::Taken> ReplicatedWorld::steps(const Bytes& shared, const Local* caller,
                                                           bool of_nobody) const {
    using Callers = std::vector<const Local*>;
    const State before = state_of(shared, caller == nullptr ? Callers{} : Callers{caller});
    const std::size_t slot = caller == nullptr ? slots_count_ : groups_[caller->group].first;
    ActionList all;
    ActionList own;
    ActionList elsewhere;
    system_.enabled(before, all);
    system_.enabled_elsewhere(before, elsewhere);
    if (caller != nullptr) {
        system_.enabled_of(before, slot, own);
    }
    if (all.size() != own.size() + elsewhere.size()) {
        throw DoesNotFit("a caller that is absent takes a step");
    }
    std::vector<Taken> taken;
    for (const Action action : of_nobody ? elsewhere : own) {
        State after = before;
        const Event event = take(after, action);
        for (std::size_t other = 0; other < slots_count_; ++other) {
            if (other != slot && !has_slot(after, other, absent_)) {
                throw DoesNotFit("the step \"" + system_.describe(before, action) +
                                 "\" changes what belongs to another caller");
            }
        }
        taken.push_back(
            {action, event, shared_of(after), caller == nullptr ? Bytes{} : slot_of(after, slot)});
    }
    return taken;
}

std::vector<Action> ReplicatedWorld::actions_of(const std::vector<Taken>& steps) {
    std::vector<Action> actions;
    actions.reserve(steps.size());
    for (const Taken& step : steps) {
        actions.push_back(step.action);
    }
    return actions;
}

std::vector<ReplicatedWorld::Taken> ReplicatedWorld::steps_heard(
    const Bytes& shared, const Local& hearer, const std::vector<Action>& all) const {
    std::vector<Taken> come = steps(shared, &hearer, true);
    std::vector<Taken> heard;
    std::size_t next = 0;
    for (const Action action : all) {
        if (next < come.size() && come[next].action == action) {
            heard.push_back(std::move(come[next++]));
        } else if (action.kind == ActionKind::kTime) {
            if (!stops_being_late(shared, hearer)) {
                throw DoesNotFit("time would wait for ever if a caller comes to \"" +
                                 system_.show(state_of(shared, {&hearer})) +
                                 "\": neither it nor the servers end that it is late");
            }
            heard.push_back({action, {}, {}, {}, true});
        } else {
            throw DoesNotFit("a step of nobody's, which is not time, waits for a caller");
        }
    }
    if (next != come.size()) {
        throw DoesNotFit("a step of nobody's comes only beside a caller");
    }
    return heard;
}

bool ReplicatedWorld::stops_being_late(const Bytes& shared, const Local& late) const {
    constexpr std::size_t kPlacesMost = 5'000;
    std::vector<std::pair<Bytes, Local>> open{{shared, late}};
    std::set<std::pair<Bytes, Local>> seen(open.begin(), open.end());
    for (std::size_t i = 0; i < open.size() && open.size() < kPlacesMost; ++i) {
        const auto [here, caller] = open[i];
        std::vector<Taken> moves = steps(here, &caller, true);
        if (moves.size() == steps(here, nullptr, true).size()) {
            return true;
        }
        const std::vector<Taken> own = steps(here, &caller, false);
        moves.insert(moves.end(), own.begin(), own.end());
        for (const Taken& move : moves) {
            const ActionKind kind = move.action.kind;  // all others need not come
            if (kind == ActionKind::kStep || kind == ActionKind::kBackground) {
                std::pair<Bytes, Local> after{move.shared, {caller.group, move.slot}};
                if (seen.insert(after).second) {
                    open.push_back(std::move(after));
                }
            }
        }
    }
    return false;
}

bool ReplicatedWorld::same_without_absent(const Bytes& shared, const Local& caller) const {
    State here = empty_;
    State there = one_of_each_.initial();
    put_shared(here, shared);
    put_shared(there, shared);
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        const Bytes slot = group == caller.group ? caller.slot : initial_local(group).slot;
        put_slot(here, groups_[group].first, slot);
        put_slot(there, group, slot);
    }
    ActionList actions;
    ActionList same;
    system_.enabled(here, actions);
    one_of_each_.enabled(there, same);
    bool is_same =
        actions.size() == same.size() && system_.quiescent(here) == one_of_each_.quiescent(there);
    State here_after = here;
    State there_after = there;
    for (std::size_t i = 0; is_same && i < actions.size(); ++i) {
        copy(here_after, here);
        copy(there_after, there);
        const Event event = take(here_after, actions[i]);
        const Event other = take(one_of_each_, there_after, same[i]);
        is_same = actions[i].kind == same[i].kind && actions[i].argument == same[i].argument &&
                  actions[i].actor == groups_[same[i].actor].first && event.what == other.what &&
                  event.breaches == other.breaches &&
                  event.holding_before == other.holding_before &&
                  shared_of(here_after) == shared_of(there_after);
        for (std::size_t group = 0; is_same && group < groups_.size(); ++group) {
            is_same = has_slot(here_after, groups_[group].first, slot_of(there_after, group));
        }
    }
    return is_same;
}

Event ReplicatedWorld::take(State& state, Action action) const {
    return take(system_, state, action);
}

Event ReplicatedWorld::take(const ErasedSystem& system, State& state, Action action) const {
    try {
        const Event event = system.apply(state, action);
        if (crashes_at_ != kNowhere) {
            *at(state, crashes_at_) = std::byte{0};
        }
        return event;
    } catch (const InternalError& error) {
        throw DoesNotFit(std::string("a check of the implementation fails: ") + error.what());
    }
}

}  // namespace lockkeeper::proofs
