// The contract between a model and everything that runs it.
//
// A System says what can happen; it never chooses. Whoever runs it (simulator, explorer,
// shrinker, replay) does, over and over:
//
//   state = initial()
//   enabled(state, out)        fills `out` with every action that is possible now. The order is
//                              part of the contract: equal states give equal lists.
//   event = apply(state, a)    performs one atomic step in place. `a` must come from enabled().
//                              Touches nothing but the state: no clock, no I/O, no globals.
//   observe(state, out)        what the state shows to properties. Called seldom.
//   quiescent(state)           nothing is in flight: properties of rest may be judged here.
//   finished(state)            everybody has done what he wanted. A state without enabled actions
//                              that is not finished is a deadlock.
//   describe(state, a)         one line for a report: who does what.
//   show(state)                one line: the counters and who holds.
//
// A State is a value: trivially copyable, no pointers, and equal exactly when its bytes are equal.
// The compiler proves it, so states may be hashed, compared and stored as bytes, and their number
// is the same with every compiler.
//
// Optional:
//   canonicalize(state)        replaces the state by the representative of all states that differ
//                              only in the names of interchangeable callers.
//   parts (PartedSystem)       a State is kSlotsMax slots of kSlotBytes, then kSharedBytes that are
//                              shared, then the rest. slots_count() says how many slots have a
//                              caller, group(i) which of them, side by side, are interchangeable.
//                              Or, of a System that is known at run time only, parts() says it.
//   local steps (LocalStepsSystem) the actions of each slot, which concern nothing but that slot,
//                              what is shared and the rest, and those that belong to no slot.
//                              Some of them may be private (is_private).
//   time_is_over(state)        something would still happen here, but virtual time has come to its
//                              end: nobody knows whether whoever is unfinished would go on, so this
//                              is the end of a run and no deadlock. Without it: never.
//   held_at_most(state, key)   locks of the key that callers may have: believed to be held, granted
//                              and not yet told, being released, or left by the dead and not yet
//                              freed. Without it: those that are believed to be held.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "model/action.hpp"
#include "model/event.hpp"
#include "model/footprint.hpp"
#include "model/observation.hpp"

namespace lockkeeper {

template <class S>
concept PlainState = std::is_trivially_copyable_v<S> && std::has_unique_object_representations_v<S>;

template <class S>
concept System = PlainState<typename S::State> &&
    requires(const S system, typename S::State& state, const typename S::State& at,
             ActionList& actions, Observation& observation, Action action) {
    { system.initial() } -> std::same_as<typename S::State>;
    { system.enabled(at, actions) } -> std::same_as<void>;
    { system.apply(state, action) } -> std::same_as<Event>;
    { system.observe(at, observation) } -> std::same_as<void>;
    { system.quiescent(at) } -> std::same_as<bool>;
    { system.finished(at) } -> std::same_as<bool>;
    { system.describe(at, action) } -> std::same_as<std::string>;
    { system.show(at) } -> std::same_as<std::string>;
};

// So many bytes of a State differ from zero at most. Of a State with room for different systems
// (ErasedSystem) less is used than it has.
template <System S>
[[nodiscard]] std::size_t used_bytes_of(const S& system) {
    if constexpr (requires { system.used_bytes(); }) {
        return system.used_bytes();
    } else {
        return sizeof(typename S::State);
    }
}

template <System S>
[[nodiscard]] bool time_is_over(const S& system, const typename S::State& state) {
    if constexpr (requires { system.time_is_over(state); }) {
        return system.time_is_over(state);
    } else {
        return false;
    }
}

// `seen`: what the state shows.
template <System S>
[[nodiscard]] std::uint32_t held_at_most(const S& system, const typename S::State& state,
                                         const Observation& seen, std::size_t key) {
    if constexpr (requires { system.held_at_most(state, key); }) {
        return system.held_at_most(state, key);
    } else {
        return seen.keys[key].believed;
    }
}

template <class S>
concept SymmetricSystem = System<S> && requires(const S system, typename S::State& state) {
    { system.canonicalize(state) } -> std::same_as<void>;
};

template <class S>
concept PartedSystem = System<S> && requires(const S system, std::size_t slot) {
    { S::kSlotBytes } -> std::convertible_to<std::size_t>;
    { S::kSlotsMax } -> std::convertible_to<std::size_t>;
    { S::kSharedBytes } -> std::convertible_to<std::size_t>;
    { system.slots_count() } -> std::same_as<std::size_t>;
    { system.group(slot) } -> std::same_as<std::uint8_t>;
};

// Slots, then what is shared, then the rest, up to used_bytes().
struct PartLayout {
    std::size_t slot_bytes = 0;
    std::size_t slots_max = 0;
    std::size_t shared_bytes = 0;
    // Where Call and Record of an Implementation begin in a slot; 0: unknown.
    std::size_t call_at = 0;
    std::size_t record_at = 0;
};

// kSlotsMax: of any of the systems that it may be.
template <class S>
concept RuntimePartedSystem = System<S> && requires(const S system, std::size_t slot) {
    { S::kSlotsMax } -> std::convertible_to<std::size_t>;
    { system.parts() } -> std::same_as<PartLayout>;
    { system.used_bytes() } -> std::convertible_to<std::size_t>;
    { system.slots_count() } -> std::same_as<std::size_t>;
    { system.group(slot) } -> std::same_as<std::uint8_t>;
};

// Where each action of a slot reads and writes that slot, what is shared and the rest of the state,
// but no other slot; only its Event may tell of others. Then the explorer learns steps instead of
// taking each of them again in every state.
//
//   has_local_steps()          false: not in this configuration, and nothing below is called.
//   enabled_of(state, slot, out)    the actions of one slot
//   enabled_elsewhere(state, out)   all others; together they are those of enabled()
//   acts_elsewhere(state)      false: enabled_elsewhere is empty. Looks at what is shared only.
//   may_rest(state, slot)      false: not quiescent because of this slot. Looks at the slot only.
//   reads_rest(state, slot)    false: its actions neither read nor change what is neither slot nor
//                              shared. Looks at the slot only.
//   is_private(state, action, visible)
//                              a private action of a slot: in every run that goes on from here it
//                              can be taken first, without any difference in what the others do
//                              and meet, at rest and in the end; nobody can prevent it; and it
//                              shows none of the EventBits in `visible`. Taking it at once, alone,
//                              loses nothing (docs/REDUCTIONS.md). Depends on the slot, on the rest
//                              and on mode(state).
//   mode(state)                what is shared, as far as it decides which steps are private
template <class S>
concept LocalStepsSystem = (PartedSystem<S> || RuntimePartedSystem<S>)&&requires(
    const S system, const typename S::State& at, ActionList& out, std::size_t slot, Action action,
    std::uint32_t visible) {
    { system.has_local_steps() } -> std::same_as<bool>;
    { system.enabled_of(at, slot, out) } -> std::same_as<void>;
    { system.enabled_elsewhere(at, out) } -> std::same_as<void>;
    { system.acts_elsewhere(at) } -> std::same_as<bool>;
    { system.may_rest(at, slot) } -> std::same_as<bool>;
    { system.reads_rest(at, slot) } -> std::same_as<bool>;
    { system.is_private(at, action, visible) } -> std::same_as<bool>;
    { system.mode(at) } -> std::same_as<std::uint8_t>;
};

// Where some actions of a slot concern other slots, too (a lock is given to who waits for it). The
// explorer learns the others, and takes these in every state anew.
//
//   kHasWideSteps              true
//   apply_alone(state, action, event)
//                              as apply(), of an action of a slot. False: it looked at other slots
//                              or changed them; that is decided by the slot, by what is shared and
//                              by the rest. The event may show more than happened, where that
//                              depends on other slots.
template <class S>
concept WideStepsSystem = LocalStepsSystem<S> &&
    requires(const S system, typename S::State& state, Action action, Event& event) {
    requires S::kHasWideSteps;
    { system.apply_alone(state, action, event) } -> std::same_as<bool>;
};

// Also of local steps, where it is known what they touch:
//
//   footprint(state, action)   of an action of a slot (footprint.hpp). Depends on the slot and on
//                              what it says is read; kTouchesEverything is always right.
template <class S>
concept FootprintSystem = LocalStepsSystem<S> &&
    requires(const S system, const typename S::State& at, Action action) {
    { system.footprint(at, action) } -> std::same_as<Footprint>;
};

// Where what a slot can do hardly depends on the others, so that a walk need not look at all of
// them in each step: enabled_of(), enabled_elsewhere() and may_rest() as above, and
//
//   has_slot_actions()         false: not in this configuration, and circumstances() means nothing
//   circumstances(state)       while they stay equal, enabled_of() a slot changes only when one of
//                              its own actions is taken, and enabled_elsewhere() does not change
//
// enabled() lists, each kind in the order of the slots: steps; background actions of slots; those
// of enabled_elsewhere() that are no faults; faults. So does enabled_of() for its slot.
template <class S>
concept SlotActionsSystem = System<S> &&
    requires(const S system, const typename S::State& at, ActionList& out, std::size_t slot) {
    { system.slots_count() } -> std::same_as<std::size_t>;
    { system.enabled_of(at, slot, out) } -> std::same_as<void>;
    { system.enabled_elsewhere(at, out) } -> std::same_as<void>;
    { system.may_rest(at, slot) } -> std::same_as<bool>;
    { system.has_slot_actions() } -> std::same_as<bool>;
    { system.circumstances(at) } -> std::same_as<std::uint32_t>;
};

}  // namespace lockkeeper
