// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/coarse_time.hpp"

#include <optional>
#include <utility>

#include "scheduler/erased_runner.hpp"
#include "scheduler/runs/made_run.hpp"

namespace lockkeeper {
namespace {

class InCoarseTime : public Runner {
  public:
    InCoarseTime(std::unique_ptr<Runner> runner, std::string limit)
        : runner_(std::move(runner)), limit_(std::move(limit)) {}

    [[nodiscard]] const std::string& limit() const { return limit_; }
    [[nodiscard]] ExploreResult explore_once(const ExploreOptions& options) const override {
        ExploreResult result = runner_->explore_once(options);
        if (result.complete) {
            result.end_at(limit_);
            if (is<Passed>(result.verdict)) {
                result.verdict = Inconclusive{limit_};
            }
        }
        return result;
    }

    [[nodiscard]] const WorldConfig& world() const override { return runner_->world(); }
    [[nodiscard]] std::uint32_t features() const override { return runner_->features(); }
    [[nodiscard]] std::size_t state_bytes() const override { return runner_->state_bytes(); }
    [[nodiscard]] ErasedSystem erased() const override { return runner_->erased(); }
    [[nodiscard]] MakeWalker walkers() const override { return runner_->walkers(); }
    [[nodiscard]] Reductions possible(const ExploreOptions& options) const override {
        return runner_->possible(options);
    }
    [[nodiscard]] FuzzResult fuzz(const FuzzOptions& options) const override {
        return runner_->fuzz(options);
    }
    [[nodiscard]] std::unique_ptr<AnyRunMaker> run_maker(
        const FuzzOptions& options) const override {
        return runner_->run_maker(options);
    }
    [[nodiscard]] Trace replay(const Schedule& schedule,
                               const ReplayOptions& options) const override {
        return runner_->replay(schedule, options);
    }
    [[nodiscard]] Trace run_in_order(const std::vector<std::size_t>& callers,
                                     const ReplayOptions& options) const override {
        return runner_->run_in_order(callers, options);
    }
    [[nodiscard]] ShrinkResult shrink_within(const Schedule& schedule, const Property& property,
                                             const ShrinkLimits& limits) const override {
        return runner_->shrink_within(schedule, property, limits);
    }
    [[nodiscard]] std::optional<PassingRun> nearest_passing(
        const Schedule& schedule, const Property& property,
        const ShrinkLimits& limits) const override {
        return runner_->nearest_passing(schedule, property, limits);
    }

  private:
    std::unique_ptr<Runner> runner_;
    std::string limit_;
};

}  // namespace

std::string limit_of_time(const Runner& runner) {
    const auto* coarse = dynamic_cast<const InCoarseTime*>(&runner);
    return coarse == nullptr ? "" : coarse->limit();
}

std::unique_ptr<Runner> with_limit_of_time(const Vocabulary& words, const Scenario& scenario,
                                           std::unique_ptr<Runner> runner) {
    std::string limit = instants_left_out(words, scenario);
    return limit.empty() ? std::move(runner)
                         : std::make_unique<InCoarseTime>(std::move(runner), std::move(limit));
}

}  // namespace lockkeeper
