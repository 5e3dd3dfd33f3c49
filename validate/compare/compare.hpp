// SPDX-License-Identifier: Apache-2.0

// Runs random schedules of the candidate one after the other. Finds the worst kind of difference,
// and shrinks the first of that kind.
#pragma once

#include "validate/compare/against.hpp"

namespace lockkeeper::against {

struct CompareLimits {
    std::uint64_t schedules_max = 1'000;
    std::uint64_t steps_max = 10'000;  // of one schedule
    double seconds_max = 1e18;
};

// Throws Misbehaved where a program cannot be used at all.
[[nodiscard]] Compared compare(const Against& against, std::uint64_t seed,
                               const CompareLimits& limits);

}  // namespace lockkeeper::against
