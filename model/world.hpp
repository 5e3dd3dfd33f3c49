// The System made of an implementation, the callers' scripts and the faults allowed.
//
// One transition is one atomic step of one party. A call and its first step are one transition:
// nobody can tell a caller that is about to call from one that has called and not yet stepped,
// except through its belief to hold, which ends with the call of release. A return and the step
// that decides it are one transition, as in `reference`: only then does belief begin.
//
// Order of enabled(): steps of callers 0..n-1, the implementation's background (virtual time among
// it), crashes of callers 0..n-1, steps of callers 0..n-1 that go wrong, disturbances, restarts of
// callers 0..n-1, the next resize.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "model/action_class.hpp"
#include "model/virtual_time.hpp"
#include "model/world_parts.hpp"

namespace lockkeeper {

template <Implementation I>
class World : private WorldParts<I> {
  public:
    using Base = WorldParts<I>;
    using Base::Base;
    using Base::config;
    using Base::implementation;
    using Base::kCallers;
    using Base::kKeys;
    using Base::kRemembered;
    using Base::kSignals;
    using typename Base::Count;
    using typename Base::Pc;
    using typename Base::Slot;
    using typename Base::State;
    using typename Base::Status;

    // Where the parts of a State lie (PartedSystem).
    static constexpr std::size_t kSlotBytes = sizeof(Slot);
    static constexpr std::size_t kSlotsMax = kCallers;
    static constexpr std::size_t kSharedBytes = sizeof(typename I::Shared);
    static constexpr std::size_t kCallAt = offsetof(Slot, call);
    static constexpr std::size_t kRecordAt = offsetof(Slot, record);
    static_assert(sizeof(State::slots) == kSlotsMax * kSlotBytes &&
                  offsetof(State, shared) == kSlotsMax * kSlotBytes);
    [[nodiscard]] std::size_t slots_count() const { return callers_count(); }
    using Base::group;

    // What each caller can do, apart from the others (LocalStepsSystem, SlotActionsSystem).
    using Base::acts_elsewhere;
    using Base::circumstances;
    using Base::enabled_elsewhere;
    using Base::enabled_of;
    using Base::footprint;
    using Base::has_local_steps;
    using Base::has_partly_local_steps;
    using Base::has_slot_actions;
    using Base::held_at_most;
    using Base::is_private;
    using Base::may_rest;
    using Base::mode;
    using Base::reads_rest;
    using Base::server_act;
    using Base::server_row;

    [[nodiscard]] State initial() const {
        State state{};
        state.shared = implementation().initial_shared();
        for (std::size_t i = 0; i < callers_count(); ++i) {
            settle(state.slots[i], i);
        }
        return state;
    }

    LOCKKEEPER_FLATTEN void enabled(const State& state, ActionList& out) const {
        out.clear();
        add_steps(state, out);
        implementation().background(state.shared, records(state), out);
        if (state.crashes < config().crashes_max) {
            add_crashes(state, out);
        }
        if constexpr (FaultyImplementation<I>) {
            add_faults(state, out);
        }
        if constexpr (DisturbedImplementation<I>) {
            implementation().disturbances(state.shared, records(state), out);
        }
        if (config().restarts_max > 0) {
            add_restarts(state, out);
        }
        if (state.resizes < config().resizes_max()) {
            out.add({0, ActionKind::kResize, 0});
        }
    }

    LOCKKEEPER_FLATTEN Event apply(State& state, Action action) const {
        Event event;
        act(state, action, event);
        watch(state, event);
        return event;
    }

    // See WideStepsSystem.
    bool apply_alone(State& state, Action action, Event& event) const {
        const Slot& slot = state.slots[action.actor];
        const typename I::Shared shared = state.shared;
        const typename I::Record record = slot.record;
        event = {};
        act(state, action, event);
        bool is_alone = true;
        if constexpr (TellsWhatConcernsOthers<I>) {
            is_alone = !implementation().concerns_others(shared, record, state.shared, slot.record);
        }
        watch(state, event);
        if (GrantingImplementation<I> && event.is(kAcquired)) {
            event.what |= kOverlap;  // or not: that depends on what others hold
        }
        return is_alone;
    }

    // The class of `action`, which is enabled in `state`.
    [[nodiscard]] ActionClass class_of(const State& state, Action action) const {
        if (action.kind != ActionKind::kStep ||
            state.slots[action.actor].status != Status::kResting) {
            return lockkeeper::class_of(action.kind);
        }
        switch (next_operation(state.slots[action.actor], action.actor)->verb) {
            case Verb::kAcquire: return ActionClass::kArrival;
            case Verb::kRelease: return ActionClass::kDeparture;
            default: return ActionClass::kStep;
        }
    }

    [[nodiscard]] bool time_is_over(const State& state) const {
        if constexpr (requires { implementation().time_is_over(state.shared, records(state)); }) {
            return implementation().time_is_over(state.shared, records(state));
        } else {
            return false;
        }
    }
    [[nodiscard]] bool quiescent(const State& state) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            const Status status = state.slots[i].status;
            if (status == Status::kCalling || status == Status::kRetrying) {
                return false;
            }
        }
        return implementation().idle(state.shared, records(state));
    }

    [[nodiscard]] bool finished(const State& state) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (!caller_finished(state, i)) {
                return false;
            }
        }
        return true;
    }

    void observe(const State& state, Observation& out) const {
        out.callers_count = static_cast<std::uint8_t>(callers_count());
        out.keys_count = static_cast<std::uint8_t>(config().keys.size());
        out.quiescent = quiescent(state);
        out.servers_gone = false;
        out.grants_overlap = false;
        out.beliefs_overlap = false;
        if constexpr (GrantingImplementation<I>) {
            out.beliefs_overlap = Base::beliefs_overlap(state);
        }
        out.now = 0;
        if constexpr (requires { state.shared.now; }) {
            out.now = state.shared.now - kBeginning;
        }
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            out.keys[key].believed = believed(state, key);
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
            caller.finished = caller_finished(state, i);
            for (std::size_t key = 0; key < out.keys_count; ++key) {
                caller.believed[key] = slot.held[key];
            }
        }
        implementation().observe(state.shared, records(state), out);
    }

    // Sorts interchangeable callers. Shared names no caller, so nothing else has to follow.
    void canonicalize(State& state) const {
        const std::size_t size = callers_count();
        for (std::size_t i = 1; i < size; ++i) {
            for (std::size_t j = i;
                 j > 0 && group(j) == group(j - 1) &&
                 std::memcmp(&state.slots[j], &state.slots[j - 1], sizeof(Slot)) < 0;
                 --j) {
                std::swap(state.slots[j], state.slots[j - 1]);
            }
        }
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
                if constexpr (FaultyImplementation<I>) {
                    return describe_step(state, action.actor) + " [" +
                           implementation().fault_name(action.argument) + "]";
                }
                break;
            case ActionKind::kStep: return describe_step(state, action.actor);
        }
        return {};
    }

    [[nodiscard]] static std::string error_name(unsigned number) {
        if constexpr (NamesErrors<I>) {
            return std::string(I::error_name(number));
        }
        return {};
    }

    [[nodiscard]] static int error_code(unsigned number) {
        if constexpr (requires { I::error_code(number); }) {
            return I::error_code(number);
        }
        return 0;
    }

    // Counters, then who believes to hold how much of which key.
    [[nodiscard]] std::string show(const State& state) const {
        std::string text = implementation().show(state.shared);
        std::string holders;
        for (std::size_t i = 0; i < callers_count(); ++i) {
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

  private:
    using Base::believed;
    using Base::caller_finished;
    using Base::callers_count;
    using Base::can_crash;
    using Base::can_step;
    using Base::die;
    using Base::next_operation;
    using Base::records;
    using Base::settle;
    using Base::step;
    using Base::watch_others;

    void act(State& state, Action action, Event& event) const {
        switch (action.kind) {
            case ActionKind::kStep: step(state, action.actor, event); break;
            case ActionKind::kFault:
                event.fault = static_cast<std::uint8_t>(action.argument);
                step(state, action.actor, event);
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
            watch_others(state);
        }
        if constexpr (WatchingImplementation<I>) {
            implementation().watch(state.shared, records(state));
        }
        if constexpr (JudgingImplementation<I>) {
            const Records<const std::array<Count, kKeys>> held(&state.slots[0].held, sizeof(Slot),
                                                               callers_count());
            implementation().judge(state.shared, records(state), held, event);
        }
    }
    void act_in_background(State& state, Action action, Event& event) const {
        implementation().apply_background(state.shared, records(state), action, event);
        if constexpr (GrantingImplementation<I>) {
            if (event.is(kLost)) {
                Base::lose(state.slots[event.caller], event.caller, event.key);
            }
        }
    }

    static bool is_restart(Action action) {
        return action.kind == ActionKind::kDisturb && action.argument == Base::kRestart;
    }
    void disturb(State& state, Action action, Event& event) const {
        if (is_restart(action)) {
            event.caller = action.actor;
            Base::restart(state, action.actor);
        } else {
            act_in_background(state, action, event);
        }
    }

    // Implementations know callers by number only; '@' in their words stands for the actor's name.
    [[nodiscard]] std::string named(std::string words, std::size_t actor) const {
        const std::size_t at = words.find('@');
        return at == std::string::npos ? words : words.replace(at, 1, config().callers[actor].name);
    }

    void add_steps(const State& state, ActionList& out) const {
        ActionList::Appender steps(out, callers_count());
        for (std::size_t i = 0; i < callers_count(); ++i) {
            steps.add_if(can_step(state, i), {static_cast<std::uint8_t>(i), ActionKind::kStep, 0});
        }
    }
    LOCKKEEPER_SELDOM void add_crashes(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (can_crash(state.slots[i], i)) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kCrash, 0});
            }
        }
    }
    LOCKKEEPER_SELDOM void add_restarts(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (Base::can_restart(state, i)) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kDisturb, Base::kRestart});
            }
        }
    }
    LOCKKEEPER_SELDOM void add_faults(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            Base::add_faults_of(state, i, out);
        }
    }
    [[nodiscard]] std::string describe_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& scripted = Base::scripted(caller, slot.pc);
        const std::string& name = config().callers[caller].name;
        if (scripted.verb == Verb::kExit) {
            return name + " exits";
        }
        if (scripted.uses_signal()) {
            return name + " " + Base::describe_signal(scripted);
        }
        typename I::Call call = slot.call;
        if (slot.status != Status::kCalling) {
            implementation().begin(scripted, call);
        }
        // Calls of its own an implementation names itself.
        const std::string verb =
            scripted.verb == Verb::kCall ? "" : std::string(name_of(scripted.verb)) + ": ";
        return name + " " + verb +
               implementation().describe_step(state.shared, slot.record, call, scripted);
    }
};

}  // namespace lockkeeper
