// SPDX-License-Identifier: Apache-2.0

// The workers of one process that make runs to be counted: for sampled.cpp, and for the ranks that
// help it. Who makes a batch changes nothing in it.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "measure/sampled_run.hpp"
#include "scheduler/base/work_crew.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

inline constexpr std::uint64_t kRunsOfBatch = 64;

// Some runs, done by one worker. What ends a batch in its midst leaves a prefix of its runs.
struct Batch {
    RunTally tally;
    std::string limit;         // empty: it is whole
    std::exception_ptr error;  // what the system has thrown, LimitExceeded apart: that is a limit
};

// Asked between runs. Empty: go on; else why not.
using WhyStopped = std::function<std::string()>;

class SamplerCrew {
  public:
    SamplerCrew(const MakeWalker& make_walker, const MeasureOptions& options);

    [[nodiscard]] std::size_t size() const { return crew_.size(); }
    [[nodiscard]] RunTally nothing() const;

    // Before any run that counts: so many runs show the capacities.
    [[nodiscard]] Capacities look_for_capacities(std::uint64_t runs);
    void set_capacities(const Capacities& capacities);
    // Batches one behind the other; `first` is the first run of the first.
    void sample(std::uint64_t first, std::span<Batch> batches, const WhyStopped& why_stopped);

  private:
    void sample_one(RunSampler& sampler, std::uint64_t first, Batch& batch,
                    const WhyStopped& why_stopped) const;

    const MeasureOptions& options_;
    WorkCrew crew_;
    std::vector<std::unique_ptr<RunSampler>> samplers_;  // of each worker
};

// Runs to be counted that other ranks make: sampled.cpp asks for them, round by round.

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
