// SPDX-License-Identifier: Apache-2.0

// Runner for any System: the searches of this folder behind one interface without templates.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

#include "scheduler/graph/graph_answer.hpp"
#include "scheduler/graph/livelock.hpp"
#include "scheduler/runs/learned_simulator.hpp"
#include "scheduler/runs/learned_walks.hpp"
#include "scheduler/runs/replay.hpp"
#include "scheduler/runs/simulator.hpp"
#include "scheduler/search/beyond_time.hpp"
#include "scheduler/shrink/causes.hpp"
#include "scheduler/shrink/shrinker.hpp"

namespace lockkeeper {

template <System S>
class SystemRunner final : public Runner {
  public:
    using State = typename S::State;

    SystemRunner(S system, WorldConfig world,
                 std::uint32_t features) requires(!std::same_as<S, ErasedSystem>)
        : SystemRunner(system, std::move(world), features, learned_walkers_of(system)) {}
    // An erased system brings walkers that were compiled where its type was still known.
    SystemRunner(S system, WorldConfig world, std::uint32_t features, MakeWalker walkers)
        : system_(std::move(system)),
          world_(std::move(world)),
          features_(features),
          walkers_(std::move(walkers)) {}

    [[nodiscard]] const S& system() const { return system_; }
    [[nodiscard]] const WorldConfig& world() const override { return world_; }
    [[nodiscard]] std::uint32_t features() const override { return features_; }
    [[nodiscard]] std::size_t state_bytes() const override { return used_bytes_of(system_); }

    [[nodiscard]] ErasedSystem erased() const override { return ErasedSystem(system_); }
    [[nodiscard]] MakeWalker walkers() const override { return walkers_; }

    [[nodiscard]] Reductions possible(const ExploreOptions& options) const override {
        Reductions all{kHintsOf<S>.symmetry && options.symmetry,
                       may_use_sleep_sets(system_, options), possible_reduction(system_, options)};
        if constexpr (std::same_as<S, ErasedSystem>) {
            if (goes_in_relative_time(options)) {
                all.further = with_relative_time(
                    possible_reduction(system_.in_relative_time(), beside_relative_time(options)));
            }
        }
        return all;
    }

    [[nodiscard]] ExploreResult explore_once(const ExploreOptions& options) const override {
        if constexpr (std::same_as<S, ErasedSystem>) {
            if (goes_in_relative_time(options)) {
                return explore_in_relative_time(options);
            }
        }
        if (options.found) {
            return explore_and_tell(options);
        }
        Explorer<S> explorer(system_, options);
        explorer.run();
        return result_of(explorer, options);
    }

    [[nodiscard]] FuzzResult fuzz(const FuzzOptions& options) const override;
    [[nodiscard]] std::unique_ptr<AnyRunMaker> run_maker(const FuzzOptions& options) const override;

    [[nodiscard]] Trace replay(const Schedule& schedule,
                               const ReplayOptions& options) const override {
        Replay<S> replay(system_, options, TraceSubject{&world_, features_});
        replay.run(schedule);
        return replay.finish();
    }

    [[nodiscard]] Trace run_in_order(const std::vector<std::size_t>& callers,
                                     const ReplayOptions& options) const override;

    [[nodiscard]] ShrinkResult shrink_within(const Schedule& schedule, const Property& property,
                                             const ShrinkLimits& limits) const override {
        return Shrinker<S>(system_, property, limits).shrink(schedule);
    }

    [[nodiscard]] std::optional<PassingRun> nearest_passing(
        const Schedule& schedule, const Property& property,
        const ShrinkLimits& limits) const override {
        return Shrinker<S>(system_, property, limits).nearest_passing(schedule);
    }

  private:
    [[nodiscard]] bool goes_in_relative_time([[maybe_unused]] const ExploreOptions& options) const {
        if constexpr (std::same_as<S, ErasedSystem>) {
            return is_in_relative_time(options.reduction) && system_.has_relative_time();
        }
        return false;
    }
    [[nodiscard]] ExploreResult explore_and_tell(const ExploreOptions& asked) const;
    [[nodiscard]] ExploreResult explore_in_relative_time(const ExploreOptions& asked) const;
    [[nodiscard]] ExploreOptions beside_relative_time(const ExploreOptions& asked) const;
    [[nodiscard]] ExploreResult result_of(Explorer<S>& explorer,
                                          const ExploreOptions& options) const;
    void fill_in(ExploreResult& result, const ExploreOptions& options,
                 const Explorer<S>& explorer) const;
    void add_violations(ExploreResult& result, const ExploreOptions& options,
                        const Explorer<S>& explorer) const;
    [[nodiscard]] FoundViolation first_violation(const ExploreOptions& options,
                                                 const Explorer<S>& explorer, std::size_t index,
                                                 const ShrinkLimits& limits) const;
    [[nodiscard]] std::vector<FoundViolation> by_cause(const ExploreOptions& options,
                                                       const Explorer<S>& explorer,
                                                       std::size_t index,
                                                       const ShrinkLimits& limits) const;
    // `rest`: of the time that the search has, the looks behind it included.
    void look_at_graph(ExploreResult& result, const ExploreOptions& options, const Deadline& rest,
                       Explorer<S>& explorer) const;
    void look_at_graph(ExploreResult& result, const ExploreOptions& options, Explorer<S>& explorer,
                       GraphLimits& limits, bool counts, const Property* livelock) const;
    void look_whether_runs_end(ExploreResult& result, const ExploreOptions& options,
                               const Deadline& rest, Explorer<S>& explorer) const;
    void judge_livelock_unreduced(ExploreResult& result, const ExploreOptions& options,
                                  const Deadline& rest, const Property& livelock) const;
    static void decide(ExploreResult& result, bool stuck);

    S system_;
    WorldConfig world_;
    std::uint32_t features_;
    MakeWalker walkers_;
    bool tells_whether_runs_end_ = false;  // of one that another runner asks
};

// Tells what is found between two rounds, when the ways to it can be asked for.
template <System S>
ExploreResult SystemRunner<S>::explore_and_tell(const ExploreOptions& asked) const {
    ExploreOptions options = asked;
    const Explorer<S>* running = nullptr;
    std::vector<bool> is_told(asked.check.size());
    options.progress = [&](const ExploreProgress& progress) {
        for (const std::size_t index : running->progress().order_found) {
            if (!is_told[index]) {
                is_told[index] = true;
                asked.found(first_violation(options, *running, index, {}));
            }
        }
        if (asked.progress) {
            asked.progress(progress);
        }
    };
    Explorer<S> explorer(system_, options);
    running = &explorer;
    explorer.run();
    return result_of(explorer, options);
}

template <System S>
ExploreResult SystemRunner<S>::result_of(Explorer<S>& explorer,
                                         const ExploreOptions& options) const {
    ExploreResult result;
    const Deadline rest(std::max(0.0, options.seconds_max - explorer.seconds()));
    fill_in(result, options, explorer);
    if (options.storage == Storage::kExact) {
        if (result.complete) {
            explorer.reached().tell_each_state(options.each_state, used_bytes_of(system_));
            look_at_graph(result, options, rest, explorer);
        }
    } else {
        // n states, n^2/2 pairs, each taken for one with probability 2^-64.
        const double states = static_cast<double>(result.states);
        result.omission_probability = -std::expm1(-states * states / 2 / std::exp2(64));
        if (result.complete && explorer.judge().judges(PropertyNumber::kLivelock)) {
            result.end_at("livelock needs --storage exact");
        }
    }
    const bool found_nothing = result.violations.empty() && !explorer.progress().stuck.found;
    if (result.complete && explorer.progress().time_over.found) {
        State end;
        static_cast<void>(explorer.reached().path_to(explorer.progress().time_over.from, end));
        const std::string why = why_time_ends(system_, end);
        if (!why.empty()) {
            result.end_at(why);
        } else if (found_nothing) {
            result.end_at(std::string(kTimeIsOver));
        }
    }
    decide(result,
           explorer.progress().stuck.found && !explorer.judge().judges(PropertyNumber::kDeadlock));
    if (explorer.progress().stuck.found && is<Stuck>(result.verdict)) {
        State end;
        std::get<Stuck>(result.verdict).schedule = {
            0, explorer.reached().path_to(explorer.progress().stuck.from, end)};
    }
    return result;
}

template <System S>
void SystemRunner<S>::fill_in(ExploreResult& result, const ExploreOptions& options,
                              const Explorer<S>& explorer) const {
    result.complete = explorer.limit().empty();
    result.limit = explorer.limit();
    result.stopped_at_violation = explorer.stopped_at_violation();
    result.states = explorer.reached().size();
    result.transitions = explorer.progress().transitions;
    result.depth = explorer.progress().depth;
    result.terminal_states = explorer.progress().terminal_states;
    if (!result.complete) {
        result.growing = explorer.growing();
    }
    const Reductions used = possible(options);
    result.used_symmetry = used.symmetry;
    result.used_sleep_sets = used.sleep_sets && explorer.reached().store().knows_by_slot();
    result.reduction = used.further;
    result.seconds = explorer.seconds();
    result.checkpoint_written = explorer.checkpoint_written();
    result.checkpoint_error = explorer.checkpoint_error();
    result.bytes_stored = explorer.bytes();
    if (options.ranks != nullptr) {
        result.bytes_stored = explorer.totals().sum().bytes;
        result.ranks = explorer.ranks_use(result.seconds);
    }
    result.bytes_of_state = used_bytes_of(system_);
    add_violations(result, options, explorer);
    std::stable_sort(result.violations.begin(), result.violations.end(),
                     [](const FoundViolation& left, const FoundViolation& right) {
                         return left.schedule.actions.size() < right.schedule.actions.size();
                     });
    for (std::size_t i = 0; i < options.reach.size(); ++i) {
        if (explorer.progress().goal_reached[i]) {
            result.reached.push_back(options.reach[i]);
        }
    }
}

template <System S>
void SystemRunner<S>::add_violations(ExploreResult& result, const ExploreOptions& options,
                                     const Explorer<S>& explorer) const {
    const ShrinkLimits limits{Deadline(std::max(0.0, options.seconds_max - explorer.seconds())),
                              options.process_bytes_max};
    for (const std::size_t index : explorer.progress().order_found) {
        // In the reduced graph the ways are not those that anybody would call shortest.
        auto of_causes = options.causes_max > 1 && result.reduction != Reduction::kPrivateSteps
                             ? by_cause(options, explorer, index, limits)
                             : std::vector<FoundViolation>{};
        if (!of_causes.empty()) {
            std::move(of_causes.begin(), of_causes.end(), std::back_inserter(result.violations));
            continue;
        }
        result.violations.push_back(first_violation(options, explorer, index, limits));
    }
}

template <System S>
FoundViolation SystemRunner<S>::first_violation(const ExploreOptions& options,
                                                const Explorer<S>& explorer, std::size_t index,
                                                const ShrinkLimits& limits) const {
    FoundViolation violation;
    violation.property = options.check[index];
    violation.schedule.actions = Shrinker<S>::actions_to(system_, explorer, *violation.property,
                                                         explorer.progress().first[index]);
    if (may_reduce(system_) && options.reduction == Reduction::kPrivateSteps) {
        // Its path has private steps that are not needed, and those needed at once.
        auto shortened =
            Shrinker<S>(system_, *violation.property, limits).shortened(violation.schedule.actions);
        LOCKKEEPER_CHECK(shortened.has_value());
        violation.schedule.actions = std::move(*shortened);
    }
    return violation;
}

// Deadlock and livelock are ends and cycles, without a step that breaks them.
template <System S>
std::vector<FoundViolation> SystemRunner<S>::by_cause(const ExploreOptions& options,
                                                      const Explorer<S>& explorer,
                                                      std::size_t index,
                                                      const ShrinkLimits& limits) const {
    const Property& property = *options.check[index];
    if (property.kind == PropertyKind::kEventually) {
        return {};
    }
    std::vector<std::string> callers;
    for (const CallerConfig& caller : world_.callers) {
        callers.push_back(caller.name);
    }
    std::vector<ViolationPlace> places{explorer.progress().first[index]};
    const std::vector<ViolationPlace>& more = explorer.progress().more[index];
    places.insert(places.end(), more.begin(), more.end());
    return CauseSeeker<S>(system_, explorer, std::move(callers), limits)
        .violations(property, places, !explorer.progress().wants_more(index), options.causes_max);
}

template <System S>
void SystemRunner<S>::decide(ExploreResult& result, bool stuck) {
    if (!result.violations.empty()) {
        const FoundViolation& first = result.violations.front();
        result.verdict =
            Violated{"", std::string(first.property->name), first.schedule, first.cycle_start};
    } else if (stuck) {
        result.verdict = Stuck{};
    } else if (!result.complete) {
        Inconclusive undecided{result.limit};
        undecided.detail += result.growing.empty() ? "" : "; " + result.growing;
        result.verdict = std::move(undecided);
    } else {
        result.verdict = Passed{};
    }
}

}  // namespace lockkeeper

#include "scheduler/system_runner_fuzz.hpp"
#include "scheduler/system_runner_graph.hpp"
#include "scheduler/system_runner_order.hpp"
#include "scheduler/system_runner_relative.hpp"
