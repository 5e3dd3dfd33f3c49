// How probable each action is: what a rate needs beside a System, because a scheduler that may do
// anything has no rates. Data, as a schedule is: scenarios say it, reports print it, and only
// scheduler/runs and measure/ choose by it.
//
// Every enabled action has the weight of its class. A probability is a weight by the sum of the
// weights of all that is enabled. With kRates a weight is a rate per second, and the state lasts
// an exponentially distributed time with the sum of the rates (a continuous-time Markov chain).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model/action_class.hpp"

namespace lockkeeper {

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

}  // namespace lockkeeper
