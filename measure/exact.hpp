// SPDX-License-Identifier: Apache-2.0

// Exact rates of a System under a law: the whole graph is explored once and becomes a Markov chain,
// and every figure is the solution of a linear system over it. Called by the verb `measure`, the
// gate of `run` and the sweeps. docs/decisions/methods/exact_rates.md has the method, its error
// bounds and sources.
//
// Units: probabilities and counts per run; times in seconds, where the law is kRates. The bounds of
// a Figure hold the true value of the model: rounding and unfinished iterations are inside them.
//
// Errors: none is thrown but std::bad_alloc. A graph that exceeds states_max or bytes_max, a model
// that exceeds its own limits, or an interrupt gives `complete` = false, `limit` and the counts so
// far, and no figures.
//
// Limits: at most 32 properties (the first 32 of `check`). Livelock is not judged: it is a property
// of cycles, not of runs, and every fair cycle is left with probability one under a law. Goals are
// counted like properties of steps.
#pragma once

#include "measure/measure.hpp"
#include "model/erased_system.hpp"

namespace lockkeeper {

[[nodiscard]] MeasureResult measure_exactly(const ErasedSystem& system,
                                            const MeasureOptions& options);

}  // namespace lockkeeper
