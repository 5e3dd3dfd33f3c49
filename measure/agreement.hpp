// SPDX-License-Identifier: Apache-2.0

// Exact figures beside sampled ones of the same system and law.
#pragma once

#include <cstdint>
#include <optional>

#include "measure/measure.hpp"

namespace lockkeeper {

enum class ComparedFigure : std::uint8_t {
    kPerRun,
    kCountPerRun,
    kPerAcquire,
    kSecondsToFirst,
    kViolatingSeconds,
    kOverlapLasts,
    kOverlapLastsIfAny,
    kCapacityLost,
    kAcquiresPerRun,
    kSecondsPerRun,
};
struct FigureDifference {
    const Property* property = nullptr;  // null: a figure of the whole run
    ComparedFigure which = ComparedFigure::kPerRun;
    Figure exact;
    Figure sampled;
};

struct Agreement {
    MeasureResult sampled;      // beside the exact result; of fewer runs
    std::uint64_t figures = 0;  // compared: all probabilities, and means of what is not rare
    std::optional<FigureDifference> difference;  // the first

    [[nodiscard]] bool agrees() const { return !difference; }
};

// Whether every exact figure meets its sampled interval: the probabilities always, because their
// intervals are exact (Clopper-Pearson); a mean where it is one of every run, or of something that
// happened in at least so many runs: the intervals of means are asymptotic, and of a few rare runs
// they say too little. `sampled` has the same properties, in the same order, and no run that was
// cut.
inline constexpr std::uint64_t kHitsOfAMean = 1'000;
[[nodiscard]] Agreement compared(const MeasureResult& exact, MeasureResult sampled);

}  // namespace lockkeeper
