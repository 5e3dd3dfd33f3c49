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
#include <span>
#include <vector>

#include "measure/block.hpp"
#include "measure/chain.hpp"

namespace lockkeeper {

// The strongly connected components of a chain, in the order in which they can be solved: every
// transition leads to the same component or to one with a smaller number.
struct Components {
    std::vector<StateIndex> members;       // of component 0, then of 1 ...; ascending in each
    std::vector<StateIndex> first;         // where each begins in `members`, and the end
    std::vector<StateIndex> component_of;  // by state

    [[nodiscard]] std::size_t size() const { return first.size() - 1; }
    [[nodiscard]] std::span<const StateIndex> of(std::size_t component) const {
        return std::span(members).subspan(first[component],
                                          first[component + 1] - first[component]);
    }
    // Each state is a component of its own. It may still lead to itself.
    [[nodiscard]] bool all_single() const { return size() == members.size(); }
};

// Which transitions count. A fixed state has none.
struct Cut {
    std::vector<bool> label_stops;      // by label; empty: none stops
    std::span<const double> fixed;      // by state; NaN: not fixed. Empty: none is
    std::vector<bool> stopping_states;  // every transition into one stops; empty: none

    [[nodiscard]] bool stops(const Chain& chain, std::uint64_t transition) const {
        return (!stopping_states.empty() && stopping_states[chain.targets[transition]]) ||
               (!label_stops.empty() && label_stops[chain.label_of[transition]]);
    }
    [[nodiscard]] bool is_fixed(StateIndex state) const {
        return !fixed.empty() && fixed[state] == fixed[state];
    }
    [[nodiscard]] bool cuts_nothing() const {
        return label_stops.empty() && fixed.empty() && stopping_states.empty();
    }
};

[[nodiscard]] Components components_of(const Chain& chain, const Cut& cut);

// Whether the cut may make more components of these.
[[nodiscard]] bool divides(const Chain& chain, const Cut& cut, const Components& components);

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
