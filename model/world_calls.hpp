// What one caller does in one step: goes on with its call, begins the next, returns, waits, dies.
// Base of World; nobody else needs it.
//
// A call and its first step are one transition, and so are a return and the step that decides it
// (world.hpp says why).
#pragma once

#include <cstring>
#include <limits>
#include <string>

#include "model/world_script.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldCalls : public WorldScript<I> {
  public:
    using Base = WorldScript<I>;
    using Base::Base;
    using Base::believed_or_granted;
    using Base::config;
    using Base::implementation;
    using Base::kRemembered;
    using Base::kSignals;
    using Base::script_size;
    using Base::settle;
    using Base::waits;
    using Base::watch_caller;
    using typename Base::Count;
    using typename Base::Slot;
    using typename Base::State;
    using typename Base::Status;

    // What a resting caller does next; nothing for a slot that is none of this caller's.
    [[nodiscard]] const Operation* next_operation(const Slot& slot, std::size_t caller) const {
        return slot.status == Status::kResting && slot.pc < script_size(caller)
                   ? &Base::scripted(caller, slot.pc)
                   : nullptr;
    }
    [[nodiscard]] bool can_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const bool blocked = implementation().blocked(state.shared, slot.record, slot.call);
        const bool possible =
            (slot.status < Status::kCalling) | ((slot.status == Status::kCalling) & !blocked);
        if constexpr (kSignals > 0) {
            return possible && !waits(state, caller);
        }
        return possible;
    }

    // In which ways the next step of the caller can go wrong.
    [[nodiscard]] std::uint32_t faults_of(const State& state, std::size_t caller) const {
        if constexpr (FaultyImplementation<I>) {
            const Slot& slot = state.slots[caller];
            const Operation& scripted = Base::scripted(caller, slot.pc);
            if (scripted.verb == Verb::kExit || scripted.uses_signal()) {
                return 0;
            }
            typename I::Call call = slot.call;
            if (slot.status != Status::kCalling) {
                implementation().begin(scripted, call);
            }
            return implementation().faults_of(state.shared, slot.record, call, scripted);
        }
        return 0;
    }

    // A finished caller that left nothing behind can crash without any effect: not offered.
    [[nodiscard]] bool can_crash(const Slot& slot, std::size_t caller) const {
        if (slot.status == Status::kDead || !config().callers[caller].may_crash) {
            return false;
        }
        const bool holds =
            std::any_of(slot.held.begin(), slot.held.end(), [](Count n) { return n > 0; });
        const typename I::Record none{};
        return holds || slot.status < Status::kFinished ||
               std::memcmp(&slot.record, &none, sizeof(none)) != 0;
    }

    void step(State& state, std::size_t caller, Event& event) const {
        Slot& slot = state.slots[caller];
        event.caller = static_cast<std::uint8_t>(caller);
        const Operation& scripted = Base::scripted(caller, slot.pc);
        event.key = scripted.key;
        if (scripted.verb == Verb::kExit) {
            event.what = kInvoked | kCrashed;
            event.invoked = Verb::kExit;
            die(state, caller);
            return;
        }
        if constexpr (kSignals > 0) {
            if (scripted.uses_signal()) {
                Base::pass_signal(state, caller, scripted, event);
                return;
            }
        }
        const bool begins = slot.status != Status::kCalling;
        if (scripted.follows_resizes) {
            perform_following(state, caller, scripted, begins, event);
        } else {
            perform(state, caller, scripted, begins, event);
        }
    }

    LOCKKEEPER_SELDOM void die(State& state, std::size_t caller) const {
        Slot& slot = state.slots[caller];
        const typename I::Record record = slot.record;
        slot = Slot{};
        slot.status = Status::kDead;
        slot.record = record;
        if constexpr (DiesAmongRecords<I>) {
            implementation().on_death(state.shared, Base::records(state), caller);
        } else {
            implementation().on_death(state.shared, slot.record);
        }
    }

    // Dead callers that may start again: a fault, because nobody has to.
    static constexpr std::uint16_t kRestart = 0xFFFF;  // of kDisturb
    [[nodiscard]] bool can_restart(const State& state, std::size_t caller) const {
        if constexpr (RestartableImplementation<I>) {
            const Slot& slot = state.slots[caller];
            return slot.status == Status::kDead && Base::restarts(state) < config().restarts_max &&
                   implementation().can_restart(state.shared, slot.record);
        }
        return false;
    }
    // A fresh process: it knows nothing of the one before.
    LOCKKEEPER_SELDOM void restart(State& state, std::size_t caller) const {
        if constexpr (RestartableImplementation<I>) {
            LOCKKEEPER_CHECK(can_restart(state, caller));
            ++state.signals.back();
            Slot& slot = state.slots[caller];
            const typename I::Record record = slot.record;
            slot = Slot{};
            slot.record = record;
            implementation().on_restart(state.shared, slot.record);
            settle(slot, caller);
        }
    }

    // The caller was told that it does not hold the key any more.
    LOCKKEEPER_SELDOM void lose(Slot& slot, std::size_t caller, std::size_t key) const {
        slot.held[key] = 0;
        if (slot.status == Status::kResting) {
            settle(slot, caller);  // what it would have done with the lock
        }
    }

  private:
    LOCKKEEPER_SELDOM void perform_following(State& state, std::size_t caller,
                                             const Operation& scripted, bool begins,
                                             Event& event) const {
        Slot& slot = state.slots[caller];
        if (begins && scripted.verb == Verb::kAcquire) {
            remember(slot, scripted.key, config().views[state.resizes]);
        }
        Operation seen = scripted;
        const std::size_t last = scripted.verb == Verb::kRelease && begins
                                     ? slot.held[scripted.key] - 1U
                                     : slot.held[scripted.key];
        seen.buckets = slot.remembered[scripted.key][last];
        perform(state, caller, seen, begins, event);
    }

    void perform(State& state, std::size_t caller, const Operation& operation, bool begins,
                 Event& event) const {
        Slot& slot = state.slots[caller];
        if (begins) {
            slot.status = Status::kCalling;
            event.what |= kInvoked;
            event.invoked = operation.verb;
            const bool gives_up = operation.verb == Verb::kRelease || operation.gives_up;
            if (gives_up && slot.held[operation.key] > 0) {
                --slot.held[operation.key];
            }
            if (config().watches_others && operation.verb == Verb::kAcquire) {
                slot.certain_least = std::numeric_limits<Count>::max();
                slot.possible_most = 0;
                watch_caller(state, caller);
            }
            implementation().begin(operation, slot.call);
        }
        event.capacity = operation.capacity();
        event.place_capacity = operation.max_per;
        const bool granted_before = implementation().granted(slot.call);
        const Outcome outcome = step_call(state, caller, operation, event);
        if constexpr (GrantingImplementation<I>) {
            if (event.is(kEffect) &&
                !implementation().holds(state.shared, slot.record, operation.key)) {
                event.note(kUnprotected);
            }
        }
        if (!granted_before &&
            (outcome == Outcome::kAcquired || implementation().granted(slot.call))) {
            event.what |= kGranted;
            event.holding_before = believed_or_granted(state, caller, operation.key);
        }
        if (outcome != Outcome::kContinues) {
            end_call(state, caller, operation, outcome, event);
        }
    }

    Outcome step_call(State& state, std::size_t caller, const Operation& operation,
                      Event& event) const {
        Slot& slot = state.slots[caller];
        if constexpr (StepsAmongRecords<I>) {
            return implementation().step(state.shared, Base::records(state), caller, slot.call,
                                         operation, event);
        } else {
            return implementation().step(state.shared, slot.record, slot.call, operation, event);
        }
    }

    void end_call(State& state, std::size_t caller, const Operation& operation, Outcome outcome,
                  Event& event) const {
        Slot& slot = state.slots[caller];
        event.certain_least = slot.certain_least;
        event.possible_most = slot.possible_most;
        switch (outcome) {
            case Outcome::kAcquired:
                event.what |= kAcquired;
                if constexpr (GrantingImplementation<I>) {
                    if (Base::excluded_by_others(state, caller, operation.key)) {
                        event.what |= kOverlap;
                    }
                }
                if (slot.held[operation.key] == std::numeric_limits<Count>::max()) {
                    throw LimitExceeded("too many locks of one key held by one caller");
                }
                ++slot.held[operation.key];
                break;
            case Outcome::kRefused:
                event.what |= kRefused;
                if (operation.follows_resizes) {
                    forget(slot, operation.key);
                }
                break;
            case Outcome::kReleased:
                event.what |= kReleased;
                if (operation.follows_resizes) {
                    forget(slot, operation.key);
                }
                break;
            case Outcome::kDied:
                event.what |= kCallerDied;
                die(state, caller);
                return;
            case Outcome::kFailed:
                event.what |= kFailed;
                if (event.is(kLost)) {
                    slot.held[operation.key] = 0;
                }
                if (operation.verb == Verb::kAcquire && operation.follows_resizes) {
                    forget(slot, operation.key);
                }
                break;
            case Outcome::kLost:
                event.what |= kLost;
                slot.held[operation.key] = 0;
                [[fallthrough]];
            case Outcome::kDone: event.what |= kDone; break;
            case Outcome::kContinues: return;
        }
        slot.call = {};
        slot.certain_least = 0;
        slot.possible_most = 0;
        if (outcome == Outcome::kRefused && operation.until_acquired) {
            slot.status = Status::kRetrying;
            return;
        }
        ++slot.pc;
        settle(slot, caller);
    }

    void remember(Slot& slot, std::size_t key, std::uint16_t buckets) const {
        if (slot.held[key] >= kRemembered) {
            throw LimitExceeded("a caller that follows resizes holds more than " +
                                std::to_string(kRemembered) + " locks of one key");
        }
        slot.remembered[key][slot.held[key]] = static_cast<std::uint8_t>(buckets);
    }
    void forget(Slot& slot, std::size_t key) const { slot.remembered[key][slot.held[key]] = 0; }
};

}  // namespace lockkeeper
