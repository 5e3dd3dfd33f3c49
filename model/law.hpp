// SPDX-License-Identifier: Apache-2.0

// A law says how probable each action is. Rates need it beside a System, because a scheduler that
// may do anything has no rates. It is data, as a schedule is: scenarios say it, reports print it,
// and only scheduler/runs and measure/ choose by it.
//
// Every enabled action has the weight of its class. Its probability is its weight divided by the
// sum of the weights of all enabled actions. With kRates a weight is a rate per second, and the
// time in a state is exponential with the sum of the rates (a continuous-time Markov chain).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/action_class.hpp"

namespace lockkeeper {

inline constexpr double kSecondsPerHour = 3600;

enum class LawKind : std::uint8_t { kUniform, kWeights, kRates };

// The weight of a class that a law does not name. With kRates, crashes, resizes, faults and
// disturbances never happen, and all else happens as often as a step.
[[nodiscard]] constexpr double default_weight(LawKind kind, ActionClass which, double step) {
    const bool goes_wrong = which == ActionClass::kCrash || which == ActionClass::kResize ||
                            which == ActionClass::kFault || which == ActionClass::kDisturbance;
    return kind != LawKind::kRates ? 1 : goes_wrong ? 0 : step;
}

struct Law {
    LawKind kind = LawKind::kUniform;
    // Finite and not negative; an action of weight 0 never happens. kUniform: all 1.
    std::array<double, kActionClasses> weights{1, 1, 1, 1, 1, 1, 1, 1, 1};

    [[nodiscard]] double weight(ActionClass which) const {
        return weights[static_cast<std::size_t>(which)];
    }
    friend bool operator==(const Law&, const Law&) = default;
};

}  // namespace lockkeeper
