// SPDX-License-Identifier: Apache-2.0

// Runs random schedules of the candidate one after the other. Finds the worst kind of difference,
// and shrinks the first of that kind.
#pragma once

#include <array>
#include <optional>

#include "model/verdict.hpp"
#include "validate/compare/against.hpp"

namespace lockkeeper::against {

struct CompareLimits {
    std::uint64_t schedules_max = 1'000;
    std::uint64_t steps_max = 10'000;  // of one schedule
    double seconds_max = 1e18;
};

struct Compared {
    Verdict verdict;
    std::uint64_t seed = 0;
    std::uint64_t schedules = 0;
    std::array<std::uint64_t, 5> counts{};  // by Difference
    std::uint64_t cut = 0;
    std::uint64_t first_at = 0;  // schedule of the worst difference, from 1
    std::optional<ObservedRun> shown;
    Explanation explanation;

    [[nodiscard]] Difference worst() const;
};

// Throws Misbehaved where a program cannot be used at all.
[[nodiscard]] Compared compare(const Against& against, std::uint64_t seed,
                               const CompareLimits& limits);

}  // namespace lockkeeper::against
