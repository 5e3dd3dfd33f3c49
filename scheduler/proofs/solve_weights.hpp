// SPDX-License-Identifier: Apache-2.0

// Weights that steps keep: one for each situation of a caller, not below zero, and one for each
// shared part, so that what all callers weigh together is always what the shared part weighs. A
// caller that has not begun weighs nothing.
//
// Solved modulo a prime, then made whole numbers. What is found is only proposed: the searches and
// the checker of certificates add up every step in whole numbers.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "scheduler/proofs/marking_search.hpp"

namespace lockkeeper::proofs {

class WeightEquations {
  public:
    WeightEquations(SharedId initial_shared, const std::vector<LocalId>& initial_locals);

    // Each step once or often, in any order; true: it says something new.
    bool add(const WeighedStep& step);
    // The weights that all others are sums of, up to some number of them; only of_local is set.
    [[nodiscard]] std::vector<Weights> solve() const;

  private:
    using Number = std::int64_t;            // modulo the prime
    using Row = std::map<LocalId, Number>;  // no zeros

    // The equation that the row is zero. True: it does not follow from the others.
    bool add_row(Row row);
    [[nodiscard]] std::vector<std::vector<std::int64_t>> basis() const;

    std::map<SharedId, Row> of_shared_;  // what a shared part weighs, in weights of locals
    std::vector<WeighedStep> waiting_;   // between shared parts of which neither is known
    std::map<LocalId, Row> rows_;        // by the first column, which is 1 in it
    std::set<LocalId> locals_;
};

}  // namespace lockkeeper::proofs
