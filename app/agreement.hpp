// Exact figures beside sampled ones of the same system and law. Used by measure_job.cpp.
#pragma once

#include "measure/measure.hpp"
#include "reports/measure_report.hpp"

namespace lockkeeper {

// Whether every exact figure meets its sampled interval: the probabilities always, because their
// intervals are exact (Clopper-Pearson); a mean where it is one of every run, or of something that
// happened in at least so many runs: the intervals of means are asymptotic, and of a few rare runs
// they say too little. `sampled` has the same properties, in the same order, and no run that was
// cut.
inline constexpr std::uint64_t kHitsOfAMean = 1'000;
[[nodiscard]] Agreement compared(const MeasureResult& exact, MeasureResult sampled);

}  // namespace lockkeeper
