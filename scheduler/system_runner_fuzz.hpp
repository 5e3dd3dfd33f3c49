// SPDX-License-Identifier: Apache-2.0

// SystemRunner::fuzz. Included by system_runner.hpp only.
#pragma once

#include <memory>

#include "scheduler/graph/livelock_of_runs.hpp"
#include "scheduler/runs/run_maker.hpp"
#include "scheduler/runs/shared_runs.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {

// Whoever is free makes runs, on every rank; they are taken in the order of their numbers, as if
// one worker had made one after the other. Only one thing goes from run to run: pct expects a run
// to be as long as the longest before it. A run that was made with another expectation is made
// again when it is its turn, which is seldom: few runs are longer than all before.
template <System S>
class Fuzzer {
  public:
    Fuzzer(const S& system, const FuzzOptions& options)
        : options_(options),
          crew_(options, [&] { return std::make_unique<RunMaker<S>>(system, options); }),
          goal_reached_(options.reach.size(), false) {
        if (const auto livelock = Judge(options.check).index_of(PropertyNumber::kLivelock)) {
            livelock_ = options.check[*livelock];
            states_.emplace(system);
        }
    }

    FuzzResult run() {
        start_ = Clock::now();
        try {
            for (const Schedule& known : options_.corpus) {
                MadeRun made;
                crew_.maker().make_known(known, made);
                take(made);
            }
            run_until_a_limit();
        } catch (const LimitExceeded& limit) {
            end(std::string("compiled size: ") + limit.what());
        }
        result_.seconds = elapsed();
        for (std::size_t i = 0; i < goal_reached_.size(); ++i) {
            if (goal_reached_[i]) {
                result_.reached.push_back(options_.reach[i]);
            }
        }
        decide();
        return std::move(result_);
    }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }
    [[nodiscard]] double seconds_left() const {
        return options_.seconds_max * (result_.violations.empty() ? 1 : kSearchShare) - elapsed();
    }
    [[nodiscard]] bool is_time_up() const { return seconds_left() < 0; }

    void run_until_a_limit() {
        // A run that is not deterministic depends on its process, too.
        if (!ended_ && options_.helpers.ranks != nullptr && !options_.check_determinism) {
            shared_.emplace(options_);
        }
        while (!ended_) {
            if (result_.schedules >= options_.schedules_max) {
                end("schedules");
                has_made_all_ = true;
                if (states_ && states_->has_news()) {
                    look_for_livelock();
                }
                break;
            }
            const std::uint64_t first = result_.schedules;
            make_round(first);
            for (std::size_t i = 0; i < made_.size() && !ended_; ++i) {
                if (shared_ && has_to_be_made_again(made_[i])) {
                    break;  // with all behind it, by all ranks; never the first of a round
                }
                take_in_turn(first + i, made_[i]);
                look_at_limits();
            }
        }
    }

    void make_round(std::uint64_t first) {
        made_.resize(std::min(runs_of_round(first), options_.schedules_max - first));
        const double began = shared_ ? elapsed() : 0;
        const std::size_t own =
            shared_ ? shared_->ask(first, made_.size(), longest_, seconds_left()) : made_.size();
        crew_.make(first, longest_, {made_.data(), own}, [this] {
            return interrupt_requested() ? RunMade::kInterrupted
                   : is_time_up()        ? RunMade::kTimeUp
                                         : RunMade::kMade;
        });
        if (shared_) {
            shared_->take_answers(made_);
            fit_rounds_of_ranks(elapsed() - began);
        }
    }

    [[nodiscard]] std::uint64_t runs_of_round(std::uint64_t first) const {
        if (crew_.uses_feedback()) {
            // Runs of a round know of all before the round, and not of each other: how many they
            // are must not depend on the workers.
            constexpr std::uint64_t kMost = 64;
            return std::clamp<std::uint64_t>(first / 8, 1, kMost);
        }
        if (shared_) {
            return runs_of_worker_ * crew_.size() * shared_->ranks_count();
        }
        constexpr std::uint64_t kRunsOfWorker = 64;
        return crew_.size() == 1 ? 1 : kRunsOfWorker * crew_.size();  // one makes no run in vain
    }
    // Long enough that asking costs little, and short enough that little is made in vain.
    void fit_rounds_of_ranks(double seconds) {
        constexpr double kSecondsLeast = 0.02;
        constexpr double kSecondsMost = 0.1;
        constexpr std::uint64_t kRunsMost = 1024;
        if (seconds < kSecondsLeast) {
            runs_of_worker_ = std::min(2 * runs_of_worker_, kRunsMost);
        } else if (seconds > kSecondsMost) {
            runs_of_worker_ = std::max<std::uint64_t>(1, runs_of_worker_ / 2);
        }
    }

    [[nodiscard]] bool has_to_be_made_again(const MadeRun& made) const {
        return made.is == RunMade::kSkipped ||
               (made.is == RunMade::kMade && made.length != 0 && made.length != longest_);
    }

    void take_in_turn(std::uint64_t number, MadeRun& made) {
        if (made.is == RunMade::kTimeUp || made.is == RunMade::kInterrupted) {
            end(made.is == RunMade::kTimeUp ? "time" : "interrupted");
            return;
        }
        if (has_to_be_made_again(made)) {
            crew_.maker().make(number, longest_, made);
        }
        take(made);
    }

    void take(MadeRun& made) {
        if (made.error) {
            std::rethrow_exception(made.error);
        }
        const Run& run = made.run;
        if (crew_.uses_feedback()) {
            crew_.seen().add(made.seen);
            if (shared_) {
                shared_->tell(made.seen);
            }
        }
        ++result_.schedules;
        result_.steps += made.steps;
        result_.cut_schedules += run.cut ? 1U : 0U;
        longest_ = std::max(longest_, static_cast<std::uint32_t>(made.steps));
        for (std::size_t i = 0; i < goal_reached_.size(); ++i) {
            goal_reached_[i] = goal_reached_[i] || run.reached[i];
        }
        for (const std::size_t index : run.broken) {
            add_violation({options_.check[index], {made.seed, run.actions}}, made.by);
        }
        if (made.nondeterminism) {
            result_.verdict =
                Diverged{"nondeterminism at step " + std::to_string(*made.nondeterminism + 1) +
                         " of " + to_line({made.seed, run.actions})};
            end("nondeterminism");
        }
        if (states_ && !ended_) {
            states_->add(run.actions);
            if (states_->is_worth_a_search()) {
                look_for_livelock();
            }
        }
        if (run.deadlocked && run.broken.empty() && stuck_.actions.empty()) {
            stuck_ = {made.seed, run.actions};
            is_stuck_ = true;
        }
    }

    // The first that is found is told, and none is looked for any more.
    void look_for_livelock() {
        ExploreOptions limits;
        limits.seconds_max = options_.seconds_max;
        try {
            if (auto lasso = states_->find(GraphLimits(limits, elapsed(), 0))) {
                add_violation(
                    {livelock_, {options_.seed, std::move(lasso->actions)}, lasso->cycle_start},
                    options_.strategy);
                states_.reset();
            }
        } catch (const GraphLimitReached&) {
            states_.reset();  // time is up, or somebody wants to stop
        } catch (const LimitExceeded&) {
            states_.reset();  // more callers than it can be judged for
        }
    }

    void add_violation(FoundViolation violation, const std::string& name) {
        for (const FoundViolation& known : result_.violations) {
            if (known.property == violation.property) {
                return;
            }
        }
        result_.violations.push_back(std::move(violation));
        result_.found_by.push_back(name);
        if (options_.stop_at_first) {
            end("first violation");
        }
    }

    void end(std::string limit) {
        ended_ = true;
        result_.limit = std::move(limit);
    }

    void look_at_limits() {
        constexpr std::uint64_t kRunsPerLook = 64;
        constexpr std::uint64_t kStepsPerLook = 65'536;
        if (ended_ || (result_.schedules % kRunsPerLook != 0 &&
                       result_.steps - steps_looked_at_ < kStepsPerLook)) {
            return;
        }
        steps_looked_at_ = result_.steps;
        if (interrupt_requested()) {
            end("interrupted");
        } else if (is_time_up()) {
            end("time");
        } else if (options_.progress) {
            options_.progress({result_.schedules, result_.steps, elapsed()});
        }
    }

    void decide() {
        if (is<Diverged>(result_.verdict)) {
            return;
        }
        if (!result_.violations.empty()) {
            const FoundViolation& first = result_.violations.front();
            result_.verdict =
                Violated{"", std::string(first.property->name), first.schedule, first.cycle_start};
        } else if (is_stuck_) {
            result_.verdict = Stuck{.schedule = stuck_};
        } else if (livelock_ != nullptr && options_.check.size() == 1) {
            result_.verdict = Inconclusive{"no livelock among the states of these runs"};
        } else if (has_made_all_) {
            result_.verdict = Passed{};
        } else {
            result_.verdict = Inconclusive{result_.limit};
        }
    }

    const FuzzOptions& options_;
    RunCrew crew_;
    std::optional<SharedRuns> shared_;         // where others help
    std::uint64_t runs_of_worker_ = 1;         // in a round that is shared
    std::vector<MadeRun> made_;                // in this round
    const Property* livelock_ = nullptr;       // when it is asked about
    std::optional<LivelockOfRuns<S>> states_;  // until one is found
    std::vector<bool> goal_reached_;
    FuzzResult result_;
    std::uint32_t longest_ = 64;
    std::uint64_t steps_looked_at_ = 0;
    bool ended_ = false;
    bool is_stuck_ = false;
    bool has_made_all_ = false;  // of the schedules that were asked for
    Schedule stuck_;
    Clock::time_point start_;
};

template <System S>
std::unique_ptr<AnyRunMaker> SystemRunner<S>::run_maker(const FuzzOptions& options) const {
    return std::make_unique<RunMaker<S>>(system_, options);
}

template <System S>
FuzzResult SystemRunner<S>::fuzz(const FuzzOptions& options) const {
    return Fuzzer<S>(system_, options).run();
}

}  // namespace lockkeeper
