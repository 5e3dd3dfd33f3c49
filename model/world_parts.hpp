// What each caller can do, apart from what the others can: for searches that learn steps
// (LocalStepsSystem) and for walks that keep a list of what is possible (SlotActionsSystem). Base
// of World; nobody else needs it.
#pragma once

#include "model/world_calls.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldParts : public WorldCalls<I> {
  public:
    using Base = WorldCalls<I>;
    using Base::Base;
    using Base::can_crash;
    using Base::can_step;
    using Base::concerns_nobody_else;
    using Base::config;
    using Base::implementation;
    using Base::next_operation;
    using Base::records;
    using typename Base::Slot;
    using typename Base::State;
    using typename Base::Status;

    static constexpr bool kConcernsOthers = StepsAmongRecords<I> || DiesAmongRecords<I>;

    // The monitors of one caller follow what all others do. What can go wrong is left to those
    // whose steps are local in part.
    [[nodiscard]] bool has_local_steps() const {
        return !kConcernsOthers && !config().watches_others && !FaultyImplementation<I> &&
               !WatchingImplementation<I> && !RestartableImplementation<I>;
    }
    // Most steps are local (WideStepsSystem).
    [[nodiscard]] bool has_partly_local_steps() const {
        return !kConcernsOthers && !config().watches_others && !JudgingImplementation<I> &&
               (!WatchingImplementation<I> || TellsWhatConcernsOthers<I>);
    }

    void enabled_of(const State& state, std::size_t caller, ActionList& out) const {
        out.clear();
        const Slot& slot = state.slots[caller];
        if (can_step(state, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kStep, 0});
        }
        if constexpr (LocalBackground<I>) {
            implementation().background_of(state.shared, slot.record, caller, out);
        }
        if (state.crashes < config().crashes_max && can_crash(slot, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kCrash, 0});
        }
        if constexpr (FaultyImplementation<I>) {
            add_faults_of(state, caller, out);
        }
        if (Base::can_restart(state, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kDisturb, Base::kRestart});
        }
    }
    void enabled_elsewhere(const State& state, ActionList& out) const {
        out.clear();
        if constexpr (LocalBackground<I>) {
            implementation().background_elsewhere(state.shared, out);
        } else {
            implementation().background(state.shared, records(state), out);
        }
        if constexpr (DisturbedImplementation<I>) {
            implementation().disturbances(state.shared, records(state), out);
        }
        if (state.resizes < config().resizes_max()) {
            out.add({0, ActionKind::kResize, 0});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const State& state) const {
        if constexpr (!DisturbedImplementation<I> &&
                      requires { implementation().acts_elsewhere(state.shared); }) {
            return config().resizes_max() > 0 || implementation().acts_elsewhere(state.shared);
        } else {
            return true;
        }
    }
    [[nodiscard]] bool may_rest(const State& state, std::size_t caller) const {
        const Status status = state.slots[caller].status;
        return status != Status::kCalling && status != Status::kRetrying;
    }
    [[nodiscard]] bool reads_rest(const State& state, std::size_t caller) const {
        const Operation* next = next_operation(state.slots[caller], caller);
        return config().crashes_max > 0 || config().resizes_max() > 0 ||
               (next != nullptr && next->uses_signal());
    }
    // While somebody may still be killed, whether a step comes before or after that matters.
    [[nodiscard]] bool is_private(const State& state, Action action, std::uint32_t visible) const {
        if (state.crashes < config().crashes_max) {
            return false;
        }
        const Slot& slot = state.slots[action.actor];
        if (action.kind == ActionKind::kStep && slot.status == Status::kResting) {
            const Operation* next = next_operation(slot, action.actor);
            return next != nullptr && concerns_nobody_else(*next, action.actor);
        }
        if constexpr (LocalBackground<I>) {
            if (action.kind == ActionKind::kBackground) {
                return implementation().is_private(state.shared, slot.record, action, visible);
            }
            return action.kind == ActionKind::kStep && slot.status == Status::kCalling &&
                   implementation().is_private(state.shared, slot.record, slot.call, visible);
        } else {
            return false;
        }
    }
    [[nodiscard]] std::uint8_t mode(const State& state) const {
        if constexpr (LocalBackground<I>) {
            return implementation().mode(state.shared);
        } else {
            return 0;
        }
    }

    // See FootprintSystem.
    [[nodiscard]] Footprint footprint(const State& state, Action action) const {
        if constexpr (requires { &I::kHasFootprints; }) {
            if (has_slot_actions() && action.kind == ActionKind::kBackground) {
                return implementation().footprint(state.shared, state.slots[action.actor].record,
                                                  action);
            }
            if (has_slot_actions() && action.kind == ActionKind::kStep) {
                return footprint_of_step(state, action.actor);
            }
        }
        return kTouchesEverything;
    }

    // Whether enabled_of() of a slot that no step touched stays the same while circumstances() do.
    // Who waits for signals follows what others do.
    [[nodiscard]] bool has_slot_actions() const {
        constexpr bool kBothersNobody = !kConcernsOthers && !FaultyImplementation<I> &&
                                        !DisturbedImplementation<I> &&
                                        !RestartableImplementation<I>;
        if constexpr (kBothersNobody && requires { requires I::kPossibleByMode; }) {
            return config().signals.empty();
        } else {
            return false;
        }
    }
    [[nodiscard]] std::uint32_t circumstances(const State& state) const {
        return mode(state) | (state.crashes < config().crashes_max ? 1U << 8U : 0U) |
               (state.resizes < config().resizes_max() ? 1U << 9U : 0U);
    }

  protected:
    void add_faults_of(const State& state, std::size_t caller, ActionList& out) const {
        std::uint32_t faults = can_step(state, caller) ? Base::faults_of(state, caller) : 0;
        for (std::uint16_t number = 0; faults != 0; ++number, faults >>= 1U) {
            if ((faults & 1U) != 0) {
                out.add({static_cast<std::uint8_t>(caller), ActionKind::kFault, number});
            }
        }
    }

    // What it is on a real server, enabled or not; kUnknown: nothing that one could be told.
    [[nodiscard]] ServerRow server_row(const State& state, std::size_t key) const {
        if constexpr (ShowsServerRows<I>) {
            return implementation().server_row(state.shared, key);
        }
        return {};
    }
    [[nodiscard]] ServerAct server_act(const State& state, Action action) const {
        const bool is_restart =
            action.kind == ActionKind::kDisturb && action.argument == Base::kRestart;
        switch (action.kind) {
            case ActionKind::kCrash:
            case ActionKind::kResize:
            case ActionKind::kTime: return {};
            case ActionKind::kBackground:
            case ActionKind::kDisturb:
                if constexpr (ServerImplementation<I>) {
                    return is_restart ? ServerAct{}
                                      : implementation().server_background(state.shared,
                                                                           records(state), action);
                }
                break;
            case ActionKind::kFault:
            case ActionKind::kStep: return server_step(state, action);
        }
        return {ServerStep::kUnknown};
    }

  private:
    [[nodiscard]] ServerAct server_step(const State& state, Action action) const {
        const Slot& slot = state.slots[action.actor];
        const Operation& scripted = Base::scripted(action.actor, slot.pc);
        if (scripted.verb == Verb::kExit || scripted.uses_signal()) {
            return {scripted.verb == Verb::kExit ? ServerStep::kExits : ServerStep::kNothing};
        }
        const typename I::Call call = call_of(slot, scripted);
        ServerAct act{ServerStep::kUnknown};
        if constexpr (ServerImplementation<I>) {
            act = implementation().server_step(state.shared, records(state), action.actor, call,
                                               scripted);
            if (action.kind == ActionKind::kFault) {
                act.fault = I::server_fault(action.argument);
            }
        }
        if constexpr (requires { call.at; }) {
            act.label = static_cast<std::uint8_t>(call.at);
        }
        act.key = scripted.key;
        act.verb = scripted.verb;
        return act;
    }
    // Where the caller is in the call; in none, where it begins.
    [[nodiscard]] typename I::Call call_of(const Slot& slot, const Operation& operation) const {
        typename I::Call call = slot.call;
        if (slot.status != Status::kCalling) {
            implementation().begin(operation, call);
        }
        return call;
    }
    [[nodiscard]] Footprint footprint_of_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& operation = Base::scripted(caller, slot.pc);
        if (operation.verb == Verb::kExit || operation.uses_signal()) {
            return kTouchesEverything;
        }
        Footprint footprint = implementation().footprint(state.shared, slot.record,
                                                         call_of(slot, operation), operation);
        if (operation.follows_resizes) {
            footprint.reads |= Footprint::kRest;
        }
        return footprint;
    }
};

}  // namespace lockkeeper
