// SPDX-License-Identifier: Apache-2.0

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
// Optional members. The functions below call them, and say what holds without them:
//   time_is_over(state)        something would still happen here, but virtual time has ended.
//                              Nobody knows whether unfinished callers would go on, so that this
//                              is the end of a run and no deadlock. Without it: never.
//   held_at_most(state, key)   locks of the key that callers may have: believed to be held, granted
//                              and not yet told, being released, or left by the dead and not yet
//                              freed. Without it: those that are believed to be held.
//   class_of(state, a)         tells actions of one kind apart (action_class.hpp).
//   error_name(n), error_code(n)    of Event::error: a word; what else its caller is told, or "".
//   words_of(state, a), shown_of(state, caller), shown_names()   what only reports ask (shown.hpp).
//                              Without them: what describe() says, no grants, no messages.
//   server_act(state, a), server_row(state, key)    the step on a real server, and what the
//                              server then has (server_step.hpp). Without it: unknown.
//   kHints                     what only makes it faster (hints.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "model/action.hpp"
#include "model/event.hpp"
#include "model/footprint.hpp"
#include "model/hints.hpp"
#include "model/observation.hpp"
#include "model/server_step.hpp"
#include "model/shown.hpp"

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

// Returns how many bytes of a State can differ from zero. A State with room for different systems
// (ErasedSystem) has more bytes than it uses.
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

template <System S>
[[nodiscard]] std::string error_name(const S& system, unsigned number) {
    if constexpr (requires { system.error_name(number); }) {
        return system.error_name(number);
    } else {
        return {};
    }
}
template <System S>
[[nodiscard]] std::string error_code(const S& system, unsigned number) {
    if constexpr (requires { system.error_code(number); }) {
        return system.error_code(number);
    } else {
        return {};
    }
}

template <System S>
[[nodiscard]] ServerAct server_act(const S& system, const typename S::State& state, Action action) {
    if constexpr (requires { system.server_act(state, action); }) {
        return system.server_act(state, action);
    } else {
        return {ServerStep::kUnknown};
    }
}
template <System S>
[[nodiscard]] ServerRow server_row(const S& system, const typename S::State& state,
                                   std::size_t key) {
    if constexpr (requires { system.server_row(state, key); }) {
        return system.server_row(state, key);
    } else {
        return {};
    }
}

// `action` is possible in `state`.
template <System S>
[[nodiscard]] StepWords words_of(const S& system, const typename S::State& state, Action action) {
    if constexpr (requires { system.words_of(state, action); }) {
        return system.words_of(state, action);
    } else {
        return {system.describe(state, action), {}, {}, doer_of(action)};
    }
}
template <System S>
[[nodiscard]] CallerShown shown_of(const S& system, const typename S::State& state,
                                   std::size_t caller) {
    if constexpr (requires { system.shown_of(state, caller); }) {
        return system.shown_of(state, caller);
    } else {
        return {};
    }
}
template <System S>
[[nodiscard]] ShownNames shown_names(const S& system) {
    if constexpr (requires { system.shown_names(); }) {
        return system.shown_names();
    } else {
        return {};
    }
}

// A System without parts counts as one shared part.
template <System S>
[[nodiscard]] PartLayout layout_of(const S& system) {
    if constexpr (kHasParts<S>) {
        return system.parts();
    } else {
        return {0, 0, sizeof(typename S::State), 0, 0};
    }
}
template <System S>
[[nodiscard]] std::size_t slots_count_of(const S& system) {
    if constexpr (kHasParts<S>) {
        return system.slots_count();
    } else {
        return 0;
    }
}

}  // namespace lockkeeper
