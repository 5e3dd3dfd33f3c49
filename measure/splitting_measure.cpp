// SPDX-License-Identifier: Apache-2.0

// measure_by_splitting: plans from pilot runs, then independent estimates until their mean is known
// well enough.
#include <algorithm>
#include <cmath>

#include "measure/sampled.hpp"
#include "measure/shared_splitting.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kPilotSteps = 20'000'000;  // of one score
constexpr std::uint64_t kPlainRuns = 10'000;
constexpr std::uint64_t kEstimatesLeast = 32;
constexpr std::uint64_t kEstimatesBetweenLooks = 8;
constexpr std::uint64_t kRunsOfStage = 1000;
constexpr std::uint64_t kRunsOfStageLeast = 200;
constexpr std::uint64_t kRunsOfStageMost = 20'000;
// Estimates scatter more than independent stages would.
constexpr double kDependence = 3;

class SplittingMeasure {
  public:
    SplittingMeasure(const MakeWalker& make_walker, const MeasureOptions& options)
        : make_walker_(make_walker), options_(options) {}

    MeasureResult run() {
        MeasureOptions plain = options_;
        plain.relative_width = 0;
        plain.below.reset();
        plain.runs_max = std::min(options_.runs_max, kPlainRuns);
        plain.seconds_max = options_.seconds_max / 10;
        plain.progress = {};
        result_ = measure_by_sampling(make_walker_, plain);
        result_.method = MeasureMethod::kSplitting;
        result_.complete = true;
        result_.limit.clear();
        const auto count = static_cast<double>(options_.check.size());
        for (std::size_t i = 0; i < options_.check.size(); ++i) {
            deadline_ = options_.seconds_max * (0.1 + 0.9 * static_cast<double>(i + 1) / count);
            limit_.clear();
            if (is_seen_in_runs(*options_.check[i])) {
                measure(i);
            }
            if (!limit_.empty()) {
                result_.complete = false;
                result_.limit = limit_;
            }
        }
        decide_below();
        result_.seconds = seconds();
        return std::move(result_);
    }

  private:
    [[nodiscard]] double seconds() const { return began_.elapsed(); }
    [[nodiscard]] bool may_go_on() const { return !interrupt_requested() && seconds() < deadline_; }

    void measure(std::size_t place) {
        SplittingCrew crew(make_walker_, options_, place);
        try {
            auto plan = learn_plan(crew, kPilotSteps, deadline_ - seconds(),
                                   [this] { return may_go_on(); });
            if (!plan) {
                limit_ = may_go_on() ? "no score led to a violation" : stopped();
                return;
            }
            const std::uint64_t runs_of_stage = runs_of_stage_for(*plan);
            estimate(crew, {place, *std::move(plan), runs_of_stage});
        } catch (const LimitExceeded& limit) {
            limit_ = limit.what();
        }
    }
    [[nodiscard]] static std::string stopped() {
        return interrupt_requested() ? "interrupted" : "time";
    }

    struct Sums {
        Spread per_run;
        Spread count;
        std::uint64_t runs = 0;
        std::uint64_t crossed = 0;
        std::uint64_t runs_of_first = 0;
    };

    void estimate(SplittingCrew& crew, const SplittingTask& task) {
        std::optional<SharedSplitting> shared;
        if (options_.helpers.ranks != nullptr) {
            shared.emplace(options_, task);
        }
        // A round has work for all workers, and some of it may be in vain: the looks come at the
        // same numbers of estimates, whoever makes them.
        const std::size_t workers = crew.size() * (shared ? shared->ranks_count() : 1);
        const std::size_t looks = (workers + kEstimatesBetweenLooks - 1) / kEstimatesBetweenLooks;
        std::vector<MadeEstimate> round;
        Sums sums;
        bool is_enough = false;
        for (std::uint64_t next = 0; !is_enough && limit_.empty(); next += round.size()) {
            round.assign(looks * kEstimatesBetweenLooks, {});
            make(crew, shared, task, next, round);
            for (std::size_t look = 0; look < looks && !is_enough && limit_.empty(); ++look) {
                take(
                    std::span(round).subspan(look * kEstimatesBetweenLooks, kEstimatesBetweenLooks),
                    sums);
                is_enough = look_at(sums);
            }
        }
        result_.runs += sums.runs;
        fill_in(task.place, sums.per_run, sums.count,
                clopper_pearson(sums.crossed, sums.runs_of_first, options_.confidence));
    }

    void make(SplittingCrew& crew, std::optional<SharedSplitting>& shared,
              const SplittingTask& task, std::uint64_t first, std::vector<MadeEstimate>& round) {
        const std::size_t own =
            shared ? shared->ask(first, round.size(), deadline_ - seconds()) : round.size();
        crew.estimate(task, first, {round.data(), own}, [this] { return may_go_on(); });
        if (shared) {
            shared->take_answers(round);
        }
    }

    void take(std::span<const MadeEstimate> made, Sums& sums) {
        for (const MadeEstimate& one : made) {
            if (one.error) {
                std::rethrow_exception(one.error);
            }
        }
        for (const MadeEstimate& one : made) {
            const SplittingEstimate& estimate = one.estimate;
            if (!estimate.limit.empty()) {
                limit_ = estimate.limit;
                break;
            }
            sums.per_run.add(estimate.per_run);
            sums.count.add(estimate.count);
            sums.runs += estimate.runs;
            sums.crossed += estimate.crossed_first;
            sums.runs_of_first += estimate.runs_of_first;
            result_.steps += estimate.steps;
        }
    }

    // Whether it is enough.
    [[nodiscard]] bool look_at(const Sums& sums) {
        if (options_.progress) {
            options_.progress(result_.runs + sums.runs, seconds());
        }
        const Figure figure = student_interval(sums.per_run, options_.confidence);
        const bool has_least = sums.per_run.count >= kEstimatesLeast;
        if (options_.relative_width > 0 && has_least &&
            relative_width(figure) <= options_.relative_width) {
            return true;
        }
        if (limit_.empty() && sums.runs >= options_.runs_max) {
            limit_ = options_.relative_width <= 0 && has_least ? "" : "runs";
            return true;
        }
        return false;
    }

    [[nodiscard]] std::uint64_t runs_of_stage_for(const SplittingPlan& plan) const {
        if (options_.relative_width <= 0) {
            return kRunsOfStage;
        }
        constexpr double kStudent = 2.8;
        const double error = options_.relative_width / 2 / kStudent;
        const double needed = kDependence * plan.variance / (error * error * kEstimatesLeast);
        return static_cast<std::uint64_t>(std::clamp(needed, static_cast<double>(kRunsOfStageLeast),
                                                     static_cast<double>(kRunsOfStageMost)));
    }

    // Where no estimate saw anything, a violation is no more probable than the first level.
    void fill_in(std::size_t place, const Spread& per_run, const Spread& count,
                 const Figure& first_level) {
        PropertyRates& rates = result_.properties[place];
        if (per_run.count < 2) {
            return;
        }
        if (per_run.positive == 0) {
            rates.per_run = {0, 0, first_level.high};
            return;
        }
        const double each = (1 + options_.confidence) / 2;
        rates.per_run = per_run.squares > 0 ? student_interval(per_run, options_.confidence)
                                            : mean_interval(per_run, options_.confidence);
        rates.per_run.high = std::min(rates.per_run.high, 1.0);
        rates.count_per_run = student_interval(count, options_.confidence);
        // The acquires are those of the plain runs, whose interval is at `confidence` and is
        // widened to the half of the error by the ratio of normal quantiles, at most 1.3.
        Figure acquires = result_.acquires_per_run;
        acquires.low = acquires.value - 1.3 * (acquires.value - acquires.low);
        acquires.high = acquires.value + 1.3 * (acquires.high - acquires.value);
        rates.per_acquire = quotient(student_interval(count, each),
                                     {acquires.value, std::max(0.0, acquires.low), acquires.high});
    }

    // Not the sequential test: what the intervals say.
    void decide_below() {
        if (!options_.below) {
            return;
        }
        bool all = !result_.properties.empty();
        for (const PropertyRates& rates : result_.properties) {
            all = all && rates.per_run.high < *options_.below;
            if (rates.per_run.low >= *options_.below) {
                result_.is_below = false;
                return;
            }
        }
        if (all) {
            result_.is_below = true;
        }
    }

    const MakeWalker& make_walker_;
    const MeasureOptions& options_;
    Deadline began_;
    double deadline_ = 0;
    std::string limit_;
    MeasureResult result_;
};

}  // namespace

MeasureResult measure_by_splitting(const MakeWalker& make_walker, const MeasureOptions& options) {
    return SplittingMeasure(make_walker, options).run();
}

}  // namespace lockkeeper
