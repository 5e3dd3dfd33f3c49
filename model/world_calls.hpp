// SPDX-License-Identifier: Apache-2.0

// Executes one action: a caller goes on with its call, begins the next, returns, waits or dies, and
// the monitors look on. A part of World.
//
// A call and its first step are one transition, and so are a return and the step that decides it
// (world.hpp says why).
#pragma once

#include <cstring>
#include <limits>
#include <string>

#include "model/action_class.hpp"
#include "model/world_hearing.hpp"
#include "model/world_script.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldCalls {
  public:
    using Count = typename WorldState<I>::Count;
    using Slot = typename WorldState<I>::Slot;
    using State = typename WorldState<I>::State;
    using Status = typename WorldState<I>::Status;
    static constexpr std::size_t kRemembered = WorldState<I>::kRemembered;
    static constexpr std::size_t kSignals = WorldState<I>::kSignals;

    explicit WorldCalls(const WorldState<I>& world) : world_(world) {}

    // One action, without the monitors.
    void act(State& state, Action action, Event& event) const {
        switch (action.kind) {
            case ActionKind::kStep: step(state, action.actor, 0, event); break;
            case ActionKind::kFault:
                step(state, action.actor, static_cast<std::uint8_t>(action.argument), event);
                event.what |= kWentWrong;
                break;
            case ActionKind::kDisturb:
                event.what = kWentWrong;
                disturb(state, action, event);
                break;
            case ActionKind::kTime:
                event.what = kTimePassed;
                act_in_background(state, action, event);
                break;
            case ActionKind::kBackground: act_in_background(state, action, event); break;
            case ActionKind::kCrash:
                event.what = kCrashed;
                event.caller = action.actor;
                ++state.crashes;
                die(state, action.actor);
                break;
            case ActionKind::kResize:
                ++state.resizes;
                event.what = kResized;
                event.value = config().views[state.resizes];
                break;
        }
    }
    // The monitors, after every action.
    void watch(State& state, Event& event) const {
        if (config().watches_others) {
            world_.watch_others(state);
        }
        if constexpr (kTraitsOf<I>.watches) {
            implementation().watch(state.shared, world_.records(state));
        }
        if constexpr (kTraitsOf<I>.judges) {
            const Records<const std::array<Count, WorldState<I>::kKeys>> held(
                &state.slots[0].held, sizeof(Slot), world_.callers_count());
            implementation().judge(state.shared, world_.records(state), held, event);
        }
    }
    void act_in_background(State& state, Action action, Event& event) const {
        take_background(implementation(), state.shared, world_.records(state), action, event,
                        [&] { tell_everybody(world_, *this, state, action, event); });
        if (event.is(kLost)) {
            lose(state.slots[event.caller], event.caller, event.key);
        }
    }

    void disturb(State& state, Action action, Event& event) const {
        if (is_restart(action)) {
            event.caller = action.actor;
            restart(state, action.actor);
        } else {
            act_in_background(state, action, event);
        }
    }

    // Returns the class of an action that is enabled in `state`.
    [[nodiscard]] ActionClass class_of(const State& state, Action action) const {
        const Slot& slot = state.slots[action.actor];
        if (action.kind != ActionKind::kStep || slot.status != Status::kResting) {
            return lockkeeper::class_of(action.kind);
        }
        switch (next_operation(slot, action.actor)->verb) {
            case Verb::kAcquire: return ActionClass::kArrival;
            case Verb::kRelease: return ActionClass::kDeparture;
            default: return ActionClass::kStep;
        }
    }
    // Returns a resting caller's next operation; null for a slot that is not this caller's.
    [[nodiscard]] const Operation* next_operation(const Slot& slot, std::size_t caller) const {
        return slot.status == Status::kResting && slot.pc < world_.script_size(caller)
                   ? &world_.scripted(caller, slot.pc)
                   : nullptr;
    }
    [[nodiscard]] bool can_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const bool blocked = implementation().blocked(state.shared, slot.record, slot.call);
        const bool possible =
            (slot.status < Status::kCalling) | ((slot.status == Status::kCalling) & !blocked);
        if constexpr (kSignals > 0) {
            if (!possible || script().waits(state, caller)) {
                return false;
            }
        }
        return possible && (kTraitsOf<I>.begins_unblocked || slot.status == Status::kCalling ||
                            !begins_blocked(state, caller));
    }

    // Returns the faults that the next step of the caller can meet, as bits.
    [[nodiscard]] std::uint32_t faults_of(const State& state, std::size_t caller) const {
        if constexpr (kTraitsOf<I>.faults) {
            const Slot& slot = state.slots[caller];
            const Operation& scripted = world_.scripted(caller, slot.pc);
            if (scripted.verb == Verb::kExit || scripted.uses_signal()) {
                return 0;
            }
            return implementation().faults_of(state.shared, slot.record,
                                              world_.call_of(slot, scripted), scripted);
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

    void step(State& state, std::size_t caller, std::uint8_t fault, Event& event) const {
        Slot& slot = state.slots[caller];
        event.caller = static_cast<std::uint8_t>(caller);
        const Operation& scripted = world_.scripted(caller, slot.pc);
        event.key = scripted.key;
        if (scripted.verb == Verb::kExit) {
            event.what = kInvoked | kCrashed;
            event.invoked = Verb::kExit;
            die(state, caller);
            return;
        }
        if constexpr (kSignals > 0) {
            if (scripted.uses_signal()) {
                script().pass_signal(state, caller, scripted, event);
                return;
            }
        }
        const bool begins = slot.status != Status::kCalling;
        if (scripted.follows_resizes || fault != 0) {
            perform_as_it_stands(state, caller, scripted, fault, begins, event);
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
        if constexpr (kDiesAmongRecords<I>) {
            implementation().on_death(state.shared, world_.records(state), caller);
        } else {
            implementation().on_death(state.shared, slot.record);
        }
    }

    [[nodiscard]] bool can_restart(const State& state, std::size_t caller) const {
        if constexpr (kTraitsOf<I>.restarts) {
            const Slot& slot = state.slots[caller];
            return slot.status == Status::kDead && world_.restarts(state) < config().restarts_max &&
                   implementation().can_restart(state.shared, slot.record);
        }
        return false;
    }
    // A fresh process: it knows nothing of the one before.
    LOCKKEEPER_SELDOM void restart(State& state, std::size_t caller) const {
        if constexpr (kTraitsOf<I>.restarts) {
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
    // The call that comes next would wait before its first step.
    [[nodiscard]] bool begins_blocked(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& scripted = world_.scripted(caller, slot.pc);
        if (scripted.verb == Verb::kExit || scripted.uses_signal()) {
            return false;
        }
        typename I::Call call = slot.call;
        if (scripted.follows_resizes) {
            Operation asked = scripted;
            asked.places = scripted.verb == Verb::kAcquire
                               ? config().views[state.resizes]
                               : slot.remembered[scripted.key][slot.held[scripted.key] - 1U];
            implementation().begin(asked, call);
        } else {
            implementation().begin(scripted, call);
        }
        return implementation().blocked(state.shared, slot.record, call);
    }
    // Adds what the script leaves open: the places that the caller sees, and the step's fault.
    LOCKKEEPER_SELDOM void perform_as_it_stands(State& state, std::size_t caller,
                                                const Operation& scripted, std::uint8_t fault,
                                                bool begins, Event& event) const {
        Operation asked = scripted;
        asked.fault = fault;
        if (scripted.follows_resizes) {
            asked.places = places_seen(state, caller, scripted, begins);
        }
        perform(state, caller, asked, begins, event);
    }
    [[nodiscard]] std::uint8_t places_seen(State& state, std::size_t caller,
                                           const Operation& scripted, bool begins) const {
        Slot& slot = state.slots[caller];
        if (begins && scripted.verb == Verb::kAcquire) {
            remember(slot, scripted.key, config().views[state.resizes]);
        }
        const std::size_t last = scripted.verb == Verb::kRelease && begins
                                     ? slot.held[scripted.key] - 1U
                                     : slot.held[scripted.key];
        return slot.remembered[scripted.key][last];
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
                world_.watch_caller(state, caller);
            }
            implementation().begin(operation, slot.call);
            LOCKKEEPER_CHECK(!kTraitsOf<I>.begins_unblocked ||
                             !implementation().blocked(state.shared, slot.record, slot.call));
        }
        event.capacity = operation.capacity();
        event.place_capacity = operation.place_capacity;
        const bool granted_before = implementation().granted(slot.call);
        const Outcome outcome = step_call(state, caller, operation, event);
        if constexpr (kHasGrants<I>) {
            if (event.is(kEffect) &&
                !implementation().holds(state.shared, slot.record, operation.key)) {
                event.note(Breach::kUnprotected);
            }
        }
        if (!granted_before &&
            (outcome == Outcome::kAcquired || implementation().granted(slot.call))) {
            event.what |= kGranted;
            event.holding_before = world_.believed_or_granted(state, caller, operation.key);
        }
        if (outcome != Outcome::kContinues) {
            end_call(state, caller, operation, outcome, event);
        }
    }

    Outcome step_call(State& state, std::size_t caller, const Operation& operation,
                      Event& event) const {
        Slot& slot = state.slots[caller];
        if constexpr (kStepsAmongRecords<I>) {
            return implementation().step(state.shared, world_.records(state), caller, slot.call,
                                         operation, event);
        } else if constexpr (kByRecord<I>) {
            event.caller = 0;  // nobody learns its number
            const Outcome outcome =
                implementation().step(state.shared, slot.record, slot.call, operation, event);
            event.caller = static_cast<std::uint8_t>(caller);
            return outcome;
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
                if constexpr (kHasGrants<I>) {
                    if (world_.excluded_by_others(state, caller, operation.key)) {
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

    void remember(Slot& slot, std::size_t key, std::uint16_t places) const {
        if (slot.held[key] >= kRemembered) {
            throw LimitExceeded("a caller that follows resizes holds more than " +
                                std::to_string(kRemembered) + " locks of one key");
        }
        slot.remembered[key][slot.held[key]] = static_cast<std::uint8_t>(places);
    }
    void forget(Slot& slot, std::size_t key) const { slot.remembered[key][slot.held[key]] = 0; }

    [[nodiscard]] const WorldConfig& config() const { return world_.config(); }
    [[nodiscard]] const I& implementation() const { return world_.implementation(); }
    [[nodiscard]] WorldScript<I> script() const { return WorldScript<I>(world_); }
    void settle(Slot& slot, std::size_t caller) const { script().settle(slot, caller); }

    const WorldState<I>& world_;
};

}  // namespace lockkeeper
