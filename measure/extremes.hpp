// SPDX-License-Identifier: Apache-2.0

// The least and the greatest probability of a violation over all schedulers: the chain read as a
// Markov decision process. Called by exact.cpp where bounds are asked for.
//
// Which choices are whose. Nature's are crashes, resizes, faults and disturbances, and virtual time
// unless the law is uniform: they come with the chance that the law gives them in each state. The
// rest of the chance is the scheduler's: among the callers' and the background's steps of positive
// weight it chooses one, knowing the whole past. So the law itself is one of the schedulers, and
// its probability lies between the extremes. A step that has no weight under the law is never
// chosen; where nature alone can act, it acts.
//
// Method: policy iteration (Howard 1960; Puterman, Markov Decision Processes, chapter 7). The value
// of a policy is a Solution with its proved bound. The greatest value is sought from a policy that
// came by strict improvements from zero, so that no cycle of idle choices is mistaken for progress;
// for the least, the states from which the scheduler can avoid the violation for ever are found on
// the graph first and have the value zero (Baier and Katoen 2008, section 10.6.1).
#pragma once

#include "measure/chain_builder.hpp"
#include "measure/solution.hpp"

namespace lockkeeper {

// Which transition the scheduler chooses in each state; kNoChoice where there is none.
inline constexpr std::uint64_t kNoChoice = UINT64_MAX;
struct ExtremePolicy {
    std::vector<std::uint64_t> choice;
    Solution value;        // of this policy: somebody who plays it gets this
    bool is_best = false;  // no single choice improves it by more than the precision
};

[[nodiscard]] ExtremePolicy extreme_policy(const Chain& chain, const Components& components,
                                           std::uint32_t violated, bool greatest,
                                           const SolverLimits& limits);

// Fills `extremes` of every property; leaves it empty where no best policy was found in time, and
// says so in result.limit.
void add_extremes(const ErasedSystem& system, const MeasureOptions& options,
                  const ChainGraph& graph, const SolverLimits& limits, MeasureResult& result);

}  // namespace lockkeeper
