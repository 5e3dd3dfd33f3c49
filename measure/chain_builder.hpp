// SPDX-License-Identifier: Apache-2.0

// Explores a System breadth first and writes down the chain that a law makes of it.
//
// With symmetry a state stands for all that differ in the names of interchangeable callers. Every
// enabled action of the representative counts with its own weight, also when several lead to the
// same class: the law does not ask for names, so the classes are a Markov chain with the same
// figures (strong lumpability; docs/decisions/methods/exact_rates.md).
//
// Errors: see `limit`. Only std::bad_alloc is thrown.
#pragma once

#include <string>

#include "measure/measure.hpp"
#include "measure/state_table.hpp"
#include "model/erased_system.hpp"

namespace lockkeeper {

struct ChainGraph {
    explicit ChainGraph(std::size_t bytes_of_state) : states(bytes_of_state) {}

    Chain chain;
    StateTable states;
    std::string limit;              // why it is not the whole graph; empty: it is
    std::uint64_t transitions = 0;  // enabled actions of all states; the chain has merged them
    // By property of `check`: whether time spent in a state can violate it (kRates).
    std::uint32_t judged_in_time = 0;
    bool has_virtual_time = false;  // some step lets it pass; asked for with overlaps only
    std::vector<std::uint32_t> violated_on_arrival;  // by state: at rest, or as a deadlock
};

// Returns the properties that have a bit: the first 32 of `check`.
[[nodiscard]] std::vector<const Property*> judged_properties(const MeasureOptions& options);

[[nodiscard]] ChainGraph build_chain(const ErasedSystem& system, const MeasureOptions& options);

// Whether the actions of a class are nature's, not the scheduler's (extremes.hpp).
[[nodiscard]] bool is_natures(ActionClass which, LawKind law);

}  // namespace lockkeeper
