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
// Optional: canonicalize(state) replaces the state by the representative of all states that differ
// only in the names of interchangeable callers.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "model/action.hpp"
#include "model/event.hpp"
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

template <class S>
concept SymmetricSystem = System<S> && requires(const S system, typename S::State& state) {
    { system.canonicalize(state) } -> std::same_as<void>;
};

}  // namespace lockkeeper
