// How probable each action is: what a rate needs beside a System, because a scheduler that may do
// anything has no rates. Read from scenarios, used by measure/.
//
// Every enabled action has the weight of its class. A probability is a weight by the sum of the
// weights of all that is enabled. With kRates a weight is a rate per second, and the state lasts
// an exponentially distributed time with the sum of the rates (a continuous-time Markov chain).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/action.hpp"

namespace lockkeeper {

// What an action is to a law. Arrivals and departures are the first steps of calls, the rest of a
// call are steps.
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

enum class LawKind : std::uint8_t { kUniform, kWeights, kRates };

struct Law {
    LawKind kind = LawKind::kUniform;
    // Finite and not negative; an action of weight 0 never happens. kUniform: all 1.
    std::array<double, kActionClasses> weights{1, 1, 1, 1, 1, 1, 1, 1, 1};

    [[nodiscard]] double weight(ActionClass which) const {
        return weights[static_cast<std::size_t>(which)];
    }
    friend bool operator==(const Law&, const Law&) = default;
};

// Of an action that is no caller's step.
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

// To this System, where it tells actions of a kind apart by the state.
template <class S, class State>
[[nodiscard]] ActionClass class_of(const S& system, const State& state, Action action) {
    if constexpr (requires { system.class_of(state, action); }) {
        return system.class_of(state, action);
    } else {
        return class_of(action.kind);
    }
}

}  // namespace lockkeeper
