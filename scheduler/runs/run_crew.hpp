// SPDX-License-Identifier: Apache-2.0

// The workers of one process that make the runs of `fuzz`. Used by system_runner_fuzz.hpp, and on
// the ranks that help it (shared_runs.hpp).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scheduler/base/work_crew.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/made_run.hpp"

namespace lockkeeper {

// Asked between runs. kMade: go on; else why not.
using WhyNoRun = std::function<RunMade()>;

class RunCrew {
  public:
    RunCrew(const FuzzOptions& options,
            const std::function<std::unique_ptr<AnyRunMaker>()>& new_maker);

    [[nodiscard]] std::size_t size() const { return crew_.size(); }
    [[nodiscard]] bool uses_feedback() const { return uses_feedback_; }
    // For one run alone. Not while make() runs.
    [[nodiscard]] AnyRunMaker& maker() { return *makers_.front(); }
    // The steps that earlier runs have seen, for runs by feedback. Not while make() runs.
    [[nodiscard]] SeenSteps& seen() { return seen_; }

    // Runs one behind the other, from number `first` on; the first of them in any case.
    void make(std::uint64_t first, std::uint32_t length, std::span<MadeRun> made,
              const WhyNoRun& why_not);

  private:
    [[nodiscard]] bool ends_the_search(const MadeRun& made) const;

    const FuzzOptions& options_;
    bool uses_feedback_;
    WorkCrew crew_;
    std::vector<std::unique_ptr<AnyRunMaker>> makers_;  // of each worker
    SeenSteps seen_;
};

}  // namespace lockkeeper
