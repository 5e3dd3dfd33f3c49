// SPDX-License-Identifier: Apache-2.0

// Independent estimates by several workers, and by ranks that help: splitting_measure.cpp asks for
// them, round by round. Who makes an estimate changes nothing in it.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "measure/splitting.hpp"
#include "scheduler/base/work_crew.hpp"
#include "scheduler/ranks/rank_tasks.hpp"

namespace lockkeeper {

// Shared by all estimates of one property.
struct SplittingTask {
    std::size_t place = 0;  // of the property in `check`
    SplittingPlan plan;
    std::uint64_t runs_of_stage = 0;
};

struct MadeEstimate {
    SplittingEstimate estimate;
    std::exception_ptr error;  // instead
};

// The plan that pilot runs learned for one score.
struct LearnedPlan {
    std::optional<SplittingPlan> plan;
    std::exception_ptr error;  // instead
};

// The workers of one process, for one property.
class SplittingCrew {
  public:
    SplittingCrew(const MakeWalker& make_walker, const MeasureOptions& options, std::size_t place);

    [[nodiscard]] std::size_t size() const { return crew_.size(); }
    [[nodiscard]] const MeasureOptions& options() const { return options_; }
    [[nodiscard]] std::size_t place() const { return place_; }
    // By each of kScores from number `first` on.
    void learn(std::uint64_t first, std::span<LearnedPlan> learned, std::uint64_t steps_max,
               const MayGoOn& may_go_on);
    // Estimates one behind the other, from number `first` on.
    void estimate(const SplittingTask& task, std::uint64_t first, std::span<MadeEstimate> made,
                  const MayGoOn& may_go_on);

  private:
    const MeasureOptions& options_;
    std::size_t place_;
    WorkCrew crew_;
    std::vector<std::unique_ptr<Splitting>> workers_;
};

// On the first rank: as SharedSampling.
class SharedSplitting {
  public:
    SharedSplitting(const MeasureOptions& options, const SplittingTask& asked);

    [[nodiscard]] std::size_t ranks_count() const { return task_.ranks_count(); }
    [[nodiscard]] std::size_t ask(std::uint64_t first, std::size_t estimates, double seconds_left);
    void take_answers(std::vector<MadeEstimate>& made);

  private:
    RankTask task_;
};

// The best plan that `crew`, and the others that help, learn within so many steps of each score;
// nothing where no score led to a violation.
[[nodiscard]] std::optional<SplittingPlan> learn_plan(SplittingCrew& crew, std::uint64_t steps_max,
                                                      double seconds_left,
                                                      const MayGoOn& may_go_on);

// On the others.
void follow_learning(const MakeWalker& make_walker, FollowedTask& task);
void follow_splitting(const MakeWalker& make_walker, FollowedTask& task);

}  // namespace lockkeeper
