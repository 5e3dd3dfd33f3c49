// SPDX-License-Identifier: Apache-2.0

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
#include "model/by_record.hpp"
#include "model/virtual_time.hpp"
#include "model/world_calls.hpp"
#include "model/world_faults_left.hpp"
#include "model/world_relative_time.hpp"
#include "model/world_view.hpp"

namespace lockkeeper {

template <Implementation I>
class World {
  public:
    using Pc = typename WorldState<I>::Pc;
    using Count = typename WorldState<I>::Count;
    using Slot = typename WorldState<I>::Slot;
    using State = typename WorldState<I>::State;
    using Status = typename WorldState<I>::Status;
    static constexpr std::size_t kCallers = WorldState<I>::kCallers;
    static constexpr std::size_t kKeys = WorldState<I>::kKeys;

    World(I implementation, WorldConfig config)
        : world_(std::move(implementation), std::move(config)) {
        WorldFaultsLeft<I>::check_their_place();
    }

    [[nodiscard]] const WorldConfig& config() const { return world_.config(); }
    [[nodiscard]] const I& implementation() const { return world_.implementation(); }

    [[nodiscard]] State initial() const {
        State state{};
        state.shared = implementation().initial_shared();
        for (std::size_t i = 0; i < callers_count(); ++i) {
            WorldScript<I>(world_).settle(state.slots[i], i);
        }
        return state;
    }

    LOCKKEEPER_FLATTEN void enabled(const State& state, ActionList& out) const {
        out.clear();
        add_steps(state, out);
        list_background(implementation(), state.shared, records(state), out);
        if (state.crashes < config().crashes_max) {
            add_crashes(state, out);
        }
        if constexpr (kTraits.faults) {
            add_faults(state, out);
        }
        if constexpr (kTraits.disturbances) {
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
        calls().act(state, action, event);
        calls().watch(state, event);
        return event;
    }

    // The class of `action`, which is enabled in `state`.
    [[nodiscard]] ActionClass class_of(const State& state, Action action) const {
        return calls().class_of(state, action);
    }

    [[nodiscard]] bool time_is_over([[maybe_unused]] const State& state) const {
        if constexpr (kTraits.clock) {
            return implementation().time_is_over(state.shared, records(state));
        } else {
            return false;
        }
    }
    [[nodiscard]] bool quiescent(const State& state) const { return world_.quiescent(state); }
    [[nodiscard]] bool finished(const State& state) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (!world_.caller_finished(state, i)) {
                return false;
            }
        }
        return true;
    }

    void observe(const State& state, Observation& out) const {
        WorldView<I>(world_).observe(state, out);
    }

    [[nodiscard]] static std::string error_name(unsigned number) requires(kTraitsOf<I>.errors) {
        return std::string(I::error_name(number));
    }
    [[nodiscard]] std::string error_code(unsigned number) const requires(kTraitsOf<I>.errors) {
        return world_.implementation().error_code(number);
    }

    [[nodiscard]] std::string describe(const State& state, Action action) const {
        return WorldView<I>(world_).describe(state, action);
    }
    [[nodiscard]] std::string show(const State& state) const {
        return WorldView<I>(world_).show(state);
    }
    [[nodiscard]] StepWords words_of(const State& state, Action action) const {
        return WorldView<I>(world_).words_of(state, action);
    }
    [[nodiscard]] CallerShown shown_of(const State& state, std::size_t caller) const {
        return WorldView<I>(world_).shown_of(state, caller);
    }
    [[nodiscard]] static ShownNames shown_names() {
        if constexpr (requires { I::kShownNames; }) {
            return I::kShownNames;
        }
        return {};
    }
    [[nodiscard]] ServerAct server_act(const State& state, Action action) const {
        return WorldView<I>(world_).server_act(state, action);
    }
    [[nodiscard]] ServerRow server_row(const State& state, std::size_t key) const {
        return WorldView<I>(world_).server_row(state, key);
    }
    [[nodiscard]] std::uint32_t held_at_most(const State& state, std::size_t key) const {
        return world_.held_at_most(state, key);
    }

    // --- Hints (hints.hpp) -------------------------------------------------------------------

    static constexpr Hints kHints{.symmetry = true,
                                  .parts = Hints::Parts::kCompiled,
                                  .local_steps = true,
                                  .footprints = true,
                                  .slot_actions = true,
                                  .faults_left = true,
                                  .relative_time = true};

    static constexpr std::size_t kSlotsMax = kCallers;
    static_assert(sizeof(State::slots) == kSlotsMax * sizeof(Slot) &&
                  offsetof(State, shared) == kSlotsMax * sizeof(Slot));
    [[nodiscard]] static constexpr PartLayout parts() {
        return {sizeof(Slot), kSlotsMax,
                sizeof(typename I::Shared) - WorldFaultsLeft<I>::bytes_of_budgets(),
                offsetof(Slot, call), offsetof(Slot, record)};
    }
    [[nodiscard]] std::size_t slots_count() const { return callers_count(); }
    [[nodiscard]] std::uint8_t group(std::size_t slot) const { return world_.group(slot); }

    [[nodiscard]] bool has_faults_left() const { return WorldFaultsLeft<I>(world_).exist(); }
    void faults_left(const State& state, FaultsLeft& out) const {
        WorldFaultsLeft<I>(world_).add_to(out, state);
    }
    void forget_faults_left(State& state) const { WorldFaultsLeft<I>(world_).forget(state); }

    [[nodiscard]] bool has_relative_time() const { return WorldRelativeTime<I>(world_).exists(); }
    [[nodiscard]] static constexpr bool has_time_left() { return kTraitsOf<I>.time_left; }
    void make_relative(State& state) const { WorldRelativeTime<I>(world_).forget_the_rest(state); }

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

    // The monitors of one caller depend on what all others do. Systems with faults offer
    // has_partly_local_steps() instead.
    [[nodiscard]] bool has_local_steps() const {
        return !kConcernsOthers && !config().watches_others && !kTraits.faults &&
               !kTraits.watches && !kTraits.judges && !kTraits.restarts;
    }
    // Most steps are local (Hints::wide_steps).
    [[nodiscard]] bool has_partly_local_steps() const {
        return !kConcernsOthers && !config().watches_others && !kTraits.judges &&
               (!kTraits.watches || kTraits.tells_what_concerns_others);
    }

    // See Traits::by_record.
    [[nodiscard]] bool acts_by_record() const { return kByRecord<I> && !config().watches_others; }
    bool apply_alone(State& state, Action action, Event& event) const {
        const Slot& slot = state.slots[action.actor];
        const typename I::Shared shared = state.shared;
        const typename I::Record record = slot.record;
        event = {};
        calls().act(state, action, event);
        bool is_alone = true;
        if constexpr (kTraits.tells_what_concerns_others) {
            is_alone = !implementation().concerns_others(shared, record, state.shared, slot.record);
        }
        calls().watch(state, event);
        if (kHasGrants<I> && event.is(kAcquired)) {
            event.what |= kOverlap;  // or not: that depends on what others hold
        }
        return is_alone;
    }

    void enabled_of(const State& state, std::size_t caller, ActionList& out) const {
        out.clear();
        const Slot& slot = state.slots[caller];
        if (calls().can_step(state, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kStep, 0});
        }
        if constexpr (kTraits.local_background) {
            list_background_of(implementation(), state.shared, slot.record, caller, out);
        }
        if (state.crashes < config().crashes_max && calls().can_crash(slot, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kCrash, 0});
        }
        if constexpr (kTraits.faults) {
            add_faults_of(state, caller, out);
        }
        if (calls().can_restart(state, caller)) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kDisturb, kRestartArgument});
        }
    }
    void enabled_elsewhere(const State& state, ActionList& out) const {
        out.clear();
        if constexpr (kTraits.local_background) {
            list_elsewhere(implementation(), state.shared, records(state), out);
        } else {
            list_background(implementation(), state.shared, records(state), out);
        }
        if constexpr (kTraits.disturbances) {
            implementation().disturbances(state.shared, records(state), out);
        }
        if (state.resizes < config().resizes_max()) {
            out.add({0, ActionKind::kResize, 0});
        }
    }
    [[nodiscard]] bool acts_elsewhere([[maybe_unused]] const State& state) const {
        if constexpr (!kTraits.disturbances && kTraits.no_background) {
            return config().resizes_max() > 0;
        } else if constexpr (!kTraits.disturbances && kTraits.local_background) {
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
        const Operation* next = calls().next_operation(state.slots[caller], caller);
        return config().crashes_max > 0 || config().resizes_max() > 0 ||
               (next != nullptr && next->uses_signal());
    }
    // While a crash may still come, no step is private: its order with the crash matters.
    [[nodiscard]] bool is_private(const State& state, Action action, std::uint32_t visible) const {
        if (state.crashes < config().crashes_max) {
            return false;
        }
        const Slot& slot = state.slots[action.actor];
        if (action.kind == ActionKind::kStep && slot.status == Status::kResting) {
            const Operation* next = calls().next_operation(slot, action.actor);
            return next != nullptr &&
                   WorldScript<I>(world_).concerns_nobody_else(*next, action.actor);
        }
        if constexpr (kTraits.local_background) {
            if (action.kind == ActionKind::kBackground) {
                return implementation().is_private(state.shared, slot.record, action, visible);
            }
            return action.kind == ActionKind::kStep && slot.status == Status::kCalling &&
                   implementation().is_private(state.shared, slot.record, slot.call, visible);
        } else {
            return false;
        }
    }
    [[nodiscard]] std::uint8_t mode([[maybe_unused]] const State& state) const {
        if constexpr (kTraits.local_background) {
            return implementation().mode(state.shared);
        } else {
            return 0;
        }
    }

    // Returns the footprint of a step, or of a slot's background action.
    [[nodiscard]] Footprint footprint(const State& state, Action action) const {
        if constexpr (kTraits.footprints) {
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
    // With signals it does not: a waiting caller depends on what others do.
    [[nodiscard]] bool has_slot_actions() const {
        constexpr bool kBothersNobody =
            !kConcernsOthers && !kTraits.faults && !kTraits.disturbances && !kTraits.restarts;
        if constexpr (kBothersNobody && kTraits.possible_by_mode) {
            return config().signals.empty();
        } else {
            return false;
        }
    }
    [[nodiscard]] std::uint32_t circumstances(const State& state) const {
        return mode(state) | (state.crashes < config().crashes_max ? 1U << 8U : 0U) |
               (state.resizes < config().resizes_max() ? 1U << 9U : 0U);
    }

  private:
    static constexpr Traits kTraits = kTraitsOf<I>;
    static constexpr bool kConcernsOthers = kStepsAmongRecords<I> || kDiesAmongRecords<I>;

    // WorldCalls executes the callers' steps; world_ reads the state.
    [[nodiscard]] WorldCalls<I> calls() const { return WorldCalls<I>(world_); }
    [[nodiscard]] std::size_t callers_count() const { return world_.callers_count(); }
    [[nodiscard]] Records<typename I::Record> records(State& state) const {
        return world_.records(state);
    }
    [[nodiscard]] Records<const typename I::Record> records(const State& state) const {
        return world_.records(state);
    }

    void add_steps(const State& state, ActionList& out) const {
        ActionList::Appender steps(out, callers_count());
        for (std::size_t i = 0; i < callers_count(); ++i) {
            steps.add_if(calls().can_step(state, i),
                         {static_cast<std::uint8_t>(i), ActionKind::kStep, 0});
        }
    }
    LOCKKEEPER_SELDOM void add_crashes(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (calls().can_crash(state.slots[i], i)) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kCrash, 0});
            }
        }
    }
    LOCKKEEPER_SELDOM void add_restarts(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            if (calls().can_restart(state, i)) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kDisturb, kRestartArgument});
            }
        }
    }
    LOCKKEEPER_SELDOM void add_faults(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < callers_count(); ++i) {
            add_faults_of(state, i, out);
        }
    }
    void add_faults_of(const State& state, std::size_t caller, ActionList& out) const {
        std::uint32_t faults =
            calls().can_step(state, caller) ? calls().faults_of(state, caller) : 0;
        for (std::uint16_t number = 0; faults != 0; ++number, faults >>= 1U) {
            if ((faults & 1U) != 0) {
                out.add({static_cast<std::uint8_t>(caller), ActionKind::kFault, number});
            }
        }
    }
    [[nodiscard]] Footprint footprint_of_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& operation = world_.scripted(caller, slot.pc);
        if (operation.verb == Verb::kExit || operation.uses_signal()) {
            return kTouchesEverything;
        }
        Footprint footprint = implementation().footprint(
            state.shared, slot.record, world_.call_of(slot, operation), operation);
        if (operation.follows_resizes) {
            footprint.reads |= Footprint::kRest;
        }
        return footprint;
    }

    WorldState<I> world_;
};

}  // namespace lockkeeper
