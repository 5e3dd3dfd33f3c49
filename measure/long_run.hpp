// SPDX-License-Identifier: Apache-2.0

// The figures of a run that never ends, in the long run. Called by exact.cpp.
//
// Every run ends, or stays in one bottom component for ever. There it comes back to a chosen state
// again and again, and by renewal the long-run share is what it collects between two visits, of one
// thing by the other. Both are solutions of a linear system without subtraction, with their bounds
// (solution.hpp); components are weighted by the probability of getting there.
#pragma once

#include "measure/measure.hpp"
#include "measure/solution.hpp"

namespace lockkeeper {

class LongRun {
  public:
    LongRun(const Chain& chain, const Components& components, const SolverLimits& limits);

    // Some run never ends.
    [[nodiscard]] bool may_go_on_for_ever() const { return goes_on_; }

    // Divides `part` by `whole`, which states or labels bring (their cuts are set here). A run that
    // ends counts with `ended` of its last state, where that is given, else with nothing.
    [[nodiscard]] Figure share(Collecting part, Collecting whole,
                               const std::vector<bool>& ended) const;

  private:
    [[nodiscard]] Solution collect(Collecting& what) const;

    const Chain& chain_;
    const Components& components_;
    SolverLimits limits_;
    std::vector<bool> references_;        // one state of each bottom component
    std::vector<StateIndex> bottoms_;     // components
    std::vector<double> transient_zero_;  // fixed values: transient states are not asked
    bool goes_on_ = false;
};

}  // namespace lockkeeper
