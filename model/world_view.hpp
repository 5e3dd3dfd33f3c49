// SPDX-License-Identifier: Apache-2.0

// Shows a World to properties, in words to people, and to code that compares it with a real server.
// A part of World.
#pragma once

#include <string>
#include <utility>

#include "model/virtual_time.hpp"
#include "model/world_script.hpp"

namespace lockkeeper {

template <Implementation I>
class WorldView {
  public:
    using Slot = typename WorldState<I>::Slot;
    using State = typename WorldState<I>::State;
    using Status = typename WorldState<I>::Status;

    explicit WorldView(const WorldState<I>& world) : world_(world) {}

    void observe(const State& state, Observation& out) const {
        out.callers_count = static_cast<std::uint8_t>(world_.callers_count());
        out.keys_count = static_cast<std::uint8_t>(config().keys.size());
        out.quiescent = world_.quiescent(state);
        out.servers_gone = false;
        out.grants_overlap = false;
        out.beliefs_overlap = false;
        if constexpr (kHasGrants<I>) {
            out.beliefs_overlap = world_.beliefs_overlap(state);
        }
        out.now = 0;
        if constexpr (kTraitsOf<I>.clock) {
            std::int32_t unit = 1;
            if constexpr (requires { implementation().time_unit(); }) {
                unit = implementation().time_unit();
            }
            out.now = told_instant(implementation().now(state.shared), unit);
        }
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            out.keys[key].believed = world_.believed(state, key);
            out.keys[key].counters.clear();
            out.keys[key].granted = 0;
            out.keys[key].phantoms = 0;
        }
        for (std::size_t i = 0; i < out.callers_count; ++i) {
            const Slot& slot = state.slots[i];
            CallerObservation& caller = out.callers[i];
            caller = {};
            caller.dead = slot.status == Status::kDead;
            caller.calling = slot.status == Status::kCalling || slot.status == Status::kRetrying;
            caller.finished = world_.caller_finished(state, i);
            for (std::size_t key = 0; key < out.keys_count; ++key) {
                caller.believed[key] = slot.held[key];
            }
        }
        lockkeeper::observe(implementation(), state.shared, records(state), out);
    }

    [[nodiscard]] std::string describe(const State& state, Action action) const {
        switch (action.kind) {
            case ActionKind::kCrash: return config().callers[action.actor].name + " crashes";
            case ActionKind::kResize:
                return "resize to " + std::to_string(config().views[state.resizes + 1U]) +
                       " buckets";
            case ActionKind::kBackground:
            case ActionKind::kDisturb:
            case ActionKind::kTime:
                if (is_restart(action)) {
                    return config().callers[action.actor].name + " starts again";
                }
                return named(
                    implementation().describe_background(state.shared, records(state), action),
                    action.actor);
            case ActionKind::kFault:
                if constexpr (kTraitsOf<I>.faults) {
                    return describe_step(state, action.actor) + " [" +
                           implementation().fault_name(action.argument) + "]";
                }
                break;
            case ActionKind::kStep: return describe_step(state, action.actor);
        }
        return {};
    }

    // Counters, then who believes to hold how much of which key.
    [[nodiscard]] std::string show(const State& state) const {
        std::string text = implementation().show(state.shared);
        std::string holders;
        for (std::size_t i = 0; i < world_.callers_count(); ++i) {
            for (std::size_t key = 0; key < config().keys.size(); ++key) {
                const auto held = static_cast<unsigned>(state.slots[i].held[key]);
                if (held > 0) {
                    holders += (holders.empty() ? "" : ", ") + config().callers[i].name;
                    holders += config().keys.size() > 1 ? " " + config().keys[key] : "";
                    holders += held > 1 ? " x" + std::to_string(held) : "";
                }
            }
        }
        return text + (holders.empty() ? "  nobody holds" : "  held by " + holders);
    }

    [[nodiscard]] StepWords words_of(const State& state, Action action) const {
        StepWords words{{}, {}, {}, doer_of(action)};
        switch (action.kind) {
            case ActionKind::kFault:
                if constexpr (kTraitsOf<I>.faults) {
                    words.fault = implementation().fault_name(action.argument);
                }
                add_step(state, action.actor, words);
                break;
            case ActionKind::kStep: add_step(state, action.actor, words); break;
            case ActionKind::kBackground:
                if constexpr (kTraitsOf<I>.messages) {
                    words.doer = implementation().is_by_caller(action) ? Doer::kCaller : words.doer;
                }
                [[fallthrough]];
            case ActionKind::kCrash:
            case ActionKind::kResize:
            case ActionKind::kTime:
            case ActionKind::kDisturb: words.label = describe(state, action); break;
        }
        if (action.kind == ActionKind::kDisturb && !is_restart(action)) {
            words.fault = words.label;
        }
        if (words.doer == Doer::kCaller) {
            strip(words.label, config().callers[action.actor].name + " ");
        } else if constexpr (requires { I::kShownNames; }) {
            strip(words.label, std::string(I::kShownNames.servers) + ": ");
        }
        return words;
    }

    // Where the servers keep no record of who holds what, shows what they would count.
    [[nodiscard]] CallerShown shown_of(const State& state, std::size_t caller) const {
        CallerShown shown;
        const Slot& slot = state.slots[caller];
        for (std::size_t key = 0; key < config().keys.size(); ++key) {
            if constexpr (kHasGrants<I>) {
                shown.granted[key] = implementation().holds(state.shared, slot.record, key);
            } else {
                shown.granted[key] = slot.held[key];
            }
        }
        const bool calls = slot.status == Status::kCalling;
        if (calls && !kHasGrants<I>) {
            const Operation& operation = world_.scripted(caller, slot.pc);
            shown.granted[operation.key] +=
                operation.verb == Verb::kRelease || implementation().granted(slot.call) ? 1U : 0U;
        }
        if constexpr (kTraitsOf<I>.messages) {
            shown.messages = implementation().messages_of(state.shared, slot.record, slot.call);
        }
        return shown;
    }

    [[nodiscard]] ServerRow server_row(const State& state, std::size_t key) const {
        if constexpr (kTraitsOf<I>.server_rows) {
            return implementation().server_row(state.shared, key);
        }
        return {};
    }
    // The action's step on a real server, enabled or not; kUnknown: a server cannot be told it.
    [[nodiscard]] ServerAct server_act(const State& state, Action action) const {
        switch (action.kind) {
            case ActionKind::kCrash:
            case ActionKind::kResize:
            case ActionKind::kTime: return {};
            case ActionKind::kBackground:
            case ActionKind::kDisturb:
                if constexpr (kTraitsOf<I>.server) {
                    return is_restart(action) ? ServerAct{}
                                              : implementation().server_background(
                                                    state.shared, records(state), action);
                }
                break;
            case ActionKind::kFault:
            case ActionKind::kStep: return server_step(state, action);
        }
        return {ServerStep::kUnknown};
    }

  private:
    // Implementations know callers by number only; '@' in their words stands for the actor's name.
    [[nodiscard]] std::string named(std::string words, std::size_t actor) const {
        const std::size_t at = words.find('@');
        return at == std::string::npos ? words : words.replace(at, 1, config().callers[actor].name);
    }

    [[nodiscard]] std::string describe_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& scripted = world_.scripted(caller, slot.pc);
        const std::string& name = config().callers[caller].name;
        if (scripted.verb == Verb::kExit) {
            return name + " exits";
        }
        if (scripted.uses_signal()) {
            return name + " " + WorldScript<I>(world_).describe_signal(scripted);
        }
        // An implementation names its own calls itself.
        const std::string verb =
            scripted.verb == Verb::kCall ? "" : std::string(name_of(scripted.verb)) + ": ";
        return name + " " + verb + step_label(state, slot, scripted);
    }
    [[nodiscard]] std::string step_label(const State& state, const Slot& slot,
                                         const Operation& scripted) const {
        const typename I::Call call = world_.call_of(slot, scripted);
        return implementation().describe_step(state.shared, slot.record, call, scripted);
    }
    // Removes the doer's name from the beginning of a description.
    static void strip(std::string& label, const std::string& doer) {
        if (label.starts_with(doer)) {
            label.erase(0, doer.size());
        }
    }
    void add_step(const State& state, std::size_t caller, StepWords& words) const {
        const Slot& slot = state.slots[caller];
        const Operation& scripted = world_.scripted(caller, slot.pc);
        if (scripted.uses_signal()) {
            words.label = WorldScript<I>(world_).describe_signal(scripted);
        } else if (scripted.verb == Verb::kExit) {
            words.label = "exits";
        } else {
            words.operation = word_of(config(), scripted);
            words.label = step_label(state, slot, scripted);
        }
    }

    [[nodiscard]] ServerAct server_step(const State& state, Action action) const {
        const Slot& slot = state.slots[action.actor];
        const Operation& scripted = world_.scripted(action.actor, slot.pc);
        if (scripted.verb == Verb::kExit || scripted.uses_signal()) {
            return {scripted.verb == Verb::kExit ? ServerStep::kExits : ServerStep::kNothing};
        }
        const typename I::Call call = world_.call_of(slot, scripted);
        ServerAct act{ServerStep::kUnknown};
        if constexpr (kTraitsOf<I>.server) {
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

    [[nodiscard]] const WorldConfig& config() const { return world_.config(); }
    [[nodiscard]] const I& implementation() const { return world_.implementation(); }
    [[nodiscard]] Records<const typename I::Record> records(const State& state) const {
        return world_.records(state);
    }

    const WorldState<I>& world_;
};

}  // namespace lockkeeper
