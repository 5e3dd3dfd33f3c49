// SPDX-License-Identifier: Apache-2.0

// How often, answered from many runs: for scopes that nobody can enumerate. Called by the verb
// `measure`, the gate of `run` and the sweeps; exact.hpp answers the same questions from the graph.
//
// A run chooses each action by the law, and ends as the simulator's runs do
// (docs/decisions/methods/sampled_rates.md). The result is a function of the system, the options
// and the seed: not of `jobs`, unless a limit of time or an interrupt ends it early.
//
// Units: figures are probabilities, expected numbers per run, or seconds of the law. Intervals are
// at `confidence`, two-sided: Clopper-Pearson for probabilities, Student's t over runs for the
// others. Errors: InternalError of the system under measurement is passed on; LimitExceeded, too.
// Options out of range (confidence outside 0..1, a law without any weight) are an InternalError:
// whoever reads them from outside has checked them. Limits: properties of the graph cannot be
// sampled, deadlock apart: their figures are 0 .. 1.
#pragma once

#include "measure/measure.hpp"
#include "scheduler/runs/walker.hpp"

namespace lockkeeper {

// Stops at `relative_width`, at the sequential test's answer (`below`), or at a limit. `method` is
// "sampled".
[[nodiscard]] MeasureResult measure_by_sampling(const MakeWalker& make_walker,
                                                const MeasureOptions& options);

// For what is too rare to be met by chance: `per_run` and `count_per_run` of each property have an
// unbiased estimate and an interval over independent replications. The other figures, and `hits`,
// are those of plain runs, which it makes beside. Stops at `relative_width` or a limit; runs_max
// counts the parts of split runs, for each property. `method` is "splitting".
[[nodiscard]] MeasureResult measure_by_splitting(const MakeWalker& make_walker,
                                                 const MeasureOptions& options);

}  // namespace lockkeeper
