// SPDX-License-Identifier: Apache-2.0

// Runs to be counted that other ranks make: sampled.cpp asks for them, round by round.
#pragma once

#include <vector>

#include "measure/sampler_crew.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

// On the first rank.
class SharedSampling {
  public:
    SharedSampling(const MeasureOptions& options, const Capacities& capacities);

    [[nodiscard]] std::size_t ranks_count() const { return task_.ranks_count(); }
    // Asks the others for their share of so many batches, the first of which begins with run
    // `first`; returns how many are the first rank's own.
    [[nodiscard]] std::size_t ask(std::uint64_t first, std::size_t batches, double seconds_left);
    // Into their places.
    void take_answers(std::vector<Batch>& batches);

  private:
    RankTask task_;
};

// On the others.
void follow_sampling(const MakeWalker& make_walker, FollowedTask& task);

}  // namespace lockkeeper
