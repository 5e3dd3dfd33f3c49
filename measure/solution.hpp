// SPDX-License-Identifier: Apache-2.0

// The mean that a run collects from each state on: the least solution x >= 0 of x = r + P x, with
// the bound of its error. Every figure of the exact method is such a solution.
//
// Probability that something happens: the transitions that show it bring 1 and stop. Expected
// count: they bring 1 and go on. Mean time: each state brings its mean duration, until the
// transitions that are waited for stop, and a run that ends before waits for ever.
//
// Values may be infinite, and are so exactly where the mean does not exist. Components are solved
// from the ends of runs backwards: single states in one pass, others by block.hpp.
#pragma once

#include <limits>

#include "measure/block.hpp"
#include "measure/components.hpp"

namespace lockkeeper {

struct Collecting {
    std::vector<double> by_label;      // what a transition brings; empty: nothing
    std::span<const double> by_state;  // what each stay in a state brings; empty: nothing
    Cut cut;            // where collecting stops; a fixed state has its value and nothing else
    double at_end = 0;  // what the end of a run brings
};

struct Solution {
    std::vector<double> values;
    std::vector<float> errors;  // relative; infinite where there is no proof

    // True value of a state: between these. Not more than `most` (1 for a probability).
    [[nodiscard]] double low(StateIndex state) const;
    [[nodiscard]] double high(StateIndex state,
                              double most = std::numeric_limits<double>::infinity()) const;
};

// `known` are the components of the chain without any cut.
[[nodiscard]] Solution solve(const Chain& chain, const Components& known,
                             const Collecting& collecting, const SolverLimits& limits);

}  // namespace lockkeeper
