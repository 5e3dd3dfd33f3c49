// SPDX-License-Identifier: Apache-2.0

// Runs of `fuzz` that other ranks make: system_runner_fuzz.hpp asks for them, round by round.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "scheduler/ranks/rank_tasks.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/run_crew.hpp"

namespace lockkeeper {

// On the first rank.
class SharedRuns {
  public:
    explicit SharedRuns(const FuzzOptions& options);

    [[nodiscard]] std::size_t ranks_count() const { return task_.ranks_count(); }
    // Asks the others for their share of so many runs, the first of which has number `first`;
    // returns how many are the first rank's own.
    [[nodiscard]] std::size_t ask(std::uint64_t first, std::size_t runs, std::uint32_t length,
                                  double seconds_left);
    // Into their places.
    void take_answers(std::vector<MadeRun>& made);
    // By feedback: the runs after this one know what it has seen, on every rank.
    void tell(const RunSteps& seen);

  private:
    void write_news_for(std::size_t rank, MessageWriter& out);

    std::size_t goals_;
    bool uses_feedback_;
    RankTask task_;
    std::vector<RankMessage> news_;   // that not all know
    std::vector<std::size_t> heard_;  // of `news_`, so many by each rank
};

// On the others. `make`: of the system that the task is about.
void follow_runs(
    const std::function<std::unique_ptr<AnyRunMaker>(const FuzzOptions& options)>& make,
    FollowedTask& task);

}  // namespace lockkeeper
