// SPDX-License-Identifier: Apache-2.0

// The messages of ranks that measure together, as bytes. Properties go by their names: they stand
// elsewhere in each process.
#pragma once

#include "measure/measure.hpp"
#include "measure/sampled_run.hpp"
#include "measure/splitting.hpp"
#include "scheduler/ranks/message.hpp"

namespace lockkeeper {

// The options that a run depends on, and how many workers a rank has; not the limits.
void write_options(const MeasureOptions& options, MessageWriter& out);
[[nodiscard]] MeasureOptions read_measure_options(MessageReader& in);

void write_tally(const RunTally& tally, MessageWriter& out);
[[nodiscard]] RunTally read_tally(MessageReader& in);

void write_plan(const SplittingPlan& plan, MessageWriter& out);
[[nodiscard]] SplittingPlan read_plan(MessageReader& in);
void write_estimate(const SplittingEstimate& estimate, MessageWriter& out);
[[nodiscard]] SplittingEstimate read_estimate(MessageReader& in);

}  // namespace lockkeeper
