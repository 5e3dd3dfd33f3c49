// SPDX-License-Identifier: Apache-2.0

// Figures from tallies: which interval stands behind which figure
// (docs/decisions/methods/sampled_rates.md). For sampled.cpp and splitting.cpp.
#pragma once

#include "measure/measure.hpp"
#include "measure/sampled_run.hpp"

namespace lockkeeper {

// `anytime`: it was looked at the hits to decide when to stop; then probabilities have intervals
// that are right whenever one stops.
[[nodiscard]] MeasureResult result_of(const RunTally& tally, const MeasureOptions& options,
                                      bool anytime);

}  // namespace lockkeeper
