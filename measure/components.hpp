// SPDX-License-Identifier: Apache-2.0

// The strongly connected components of a chain, in the order in which they can be solved: every
// transition leads to the same component or to one with a smaller number. Used by solution.cpp.
#pragma once

#include <span>
#include <vector>

#include "measure/chain.hpp"

namespace lockkeeper {

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

}  // namespace lockkeeper
