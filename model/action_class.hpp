// SPDX-License-Identifier: Apache-2.0

// Classifies actions finely enough to say how often each class happens: a law (law.hpp) gives
// weights to these classes. A class is a fact about the system; it chooses nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/action.hpp"

namespace lockkeeper {

// Arrivals and departures are the first steps of calls, the rest of a call are steps.
enum class ActionClass : std::uint8_t {
    kArrival,     // an acquire begins
    kDeparture,   // a release begins
    kStep,        // any other step of a caller
    kBackground,  // manager, deliveries, timers
    kCrash,
    kResize,
    kFault,
    kDisturbance,
    kTime,
};
inline constexpr std::size_t kActionClasses = 9;

[[nodiscard]] constexpr std::string_view name_of(ActionClass which) {
    constexpr std::array<std::string_view, kActionClasses> kNames{
        "arrival", "departure", "step",        "background", "crash",
        "resize",  "fault",     "disturbance", "time"};
    return kNames[static_cast<std::size_t>(which)];
}

// Returns the class that the kind alone decides, for actions other than a caller's step.
[[nodiscard]] constexpr ActionClass class_of(ActionKind kind) {
    switch (kind) {
        case ActionKind::kStep: return ActionClass::kStep;
        case ActionKind::kBackground: return ActionClass::kBackground;
        case ActionKind::kCrash: return ActionClass::kCrash;
        case ActionKind::kResize: return ActionClass::kResize;
        case ActionKind::kFault: return ActionClass::kFault;
        case ActionKind::kDisturb: return ActionClass::kDisturbance;
        case ActionKind::kTime: return ActionClass::kTime;
    }
    return ActionClass::kStep;
}

// Returns the action's class; a System may tell actions of one kind apart by the state.
template <class S, class State>
[[nodiscard]] ActionClass class_of(const S& system, const State& state, Action action) {
    if constexpr (requires { system.class_of(state, action); }) {
        return system.class_of(state, action);
    } else {
        return class_of(action.kind);
    }
}

}  // namespace lockkeeper
