// SPDX-License-Identifier: Apache-2.0
#include "scheduler/auto_reduction.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "scheduler/base/deadline.hpp"

namespace lockkeeper {
namespace {

bool judges_livelock_alone(const ExploreOptions& options) {
    return options.check.size() == 1 && options.check.front()->is(PropertyNumber::kLivelock);
}

// Each of these needs the whole graph, or one search from its beginning to its end.
std::string_view why_every_state(const ExploreOptions& options) {
    if (!options.automatic.every_state_for.empty()) {
        return options.automatic.every_state_for;
    }
    const CheckpointOptions& checkpoint = options.checkpoint;
    const std::pair<bool, std::string_view> reasons[]{
        {static_cast<bool>(options.each_state), "each state is written"},
        {options.counting == Counting::kOn, "interleavings are counted"},
        {options.causes_max > 1, "every cause is looked for"},
        {options.frontier != Frontier::kQueue, "the search is depth first"},
        {!checkpoint.save_to.empty() || !checkpoint.resume_from.empty(),
         "a checkpoint has one search"},
        {!options.disk.directory.empty(), "a directory of states has one search"},
        {options.ranks != nullptr, "several ranks do one search"},
        {judges_livelock_alone(options), "livelock needs the whole graph"}};
    for (const auto& [is_so, why] : reasons) {
        if (is_so) {
            return why;
        }
    }
    return {};
}

// States that differ in crashes are hardly ever alike otherwise: the dead are seen to be dead.
bool has_faults_beside_crashes(const Runner& runner) {
    const ErasedSystem system = runner.erased();
    FaultsLeft left;
    system.faults_left(system.initial(), left);
    const int all = std::accumulate(left.counts.begin(), left.counts.end(), 0);
    return all > runner.world().crashes_max;
}

Reduction possible(const Runner& runner, ExploreOptions options, Reduction asked) {
    options.reduction = asked;
    return runner.possible(options).further;
}

Reduction sound_for(const Runner& runner, const ExploreOptions& options) {
    const Reduction both = possible(runner, options, Reduction::kFaultsLeftAndRelativeTime);
    const bool goes_by_faults =
        without_relative_time(both) == Reduction::kFaultsLeft && has_faults_beside_crashes(runner);
    const Reduction further = goes_by_faults ? both
                              : is_in_relative_time(both)
                                  ? possible(runner, options, Reduction::kRelativeTime)
                                  : Reduction::kNone;
    const bool wants_lengths =
        options.automatic.wants_shortest || options.depth_max != ExploreOptions().depth_max;
    // While somebody may be killed no step is private.
    const bool has_private_steps = runner.world().crashes_max == 0 && !wants_lengths;
    return further != Reduction::kNone || !has_private_steps
               ? further
               : possible(runner, options, Reduction::kPrivateSteps);
}

class AutoSearch {
  public:
    AutoSearch(const Runner& runner, const ExploreOptions& options)
        : runner_(runner), options_(options), rest_(options.seconds_max) {
        if (options.found) {
            options_.found = [this, found = options.found](const FoundViolation& violation) {
                if (std::find(told_.begin(), told_.end(), violation.property) == told_.end()) {
                    told_.push_back(violation.property);
                    found(violation);
                }
            };
        }
    }

    ExploreResult run(Reduction further) {
        ExploreOptions first = options_;
        first.states_max = std::min(options_.automatic.states_before, options_.states_max);
        ExploreResult before = runner_.explore_once(first);
        const bool was_enough = before.complete || before.stopped_at_violation ||
                                before.states < first.states_max ||
                                first.states_max == options_.states_max;
        if (was_enough || has_to_stop(options_)) {
            return before;
        }
        states_before_ = before.states;
        seconds_before_ = before.seconds;
        ExploreResult result = again(further, fmt::format("more than {} states", states_before_));
        if (result.beyond_clock) {
            result = again(without_relative_time(further), kIsBeyondClock);
        }
        keep_shorter(before, result);
        return result;
    }

    // The reduction that was asked for.
    ExploreResult run() {
        ExploreResult result = runner_.explore_once(options_);
        if (!result.beyond_clock || has_to_stop(options_)) {
            return result;
        }
        states_before_ = result.states;
        seconds_before_ = result.seconds + result.graph_seconds;
        ExploreResult by_clock = again(without_relative_time(options_.reduction), kIsBeyondClock);
        keep_shorter(result, by_clock);
        return by_clock;
    }

  private:
    // Nothing that can be told, and by the clock there may be.
    static constexpr std::string_view kIsBeyondClock =
        "what was found comes later than the clock has numbers";

    ExploreResult again(Reduction reduction, std::string_view why) {
        if (options_.hint) {
            const bool is_plain = reduction == Reduction::kNone;
            options_.hint(fmt::format(
                "{}: the search begins again {}", why,
                is_plain ? "by the clock" : fmt::format("with {}", word_of(reduction))));
        }
        options_.reduction = reduction;
        options_.seconds_max = rest_.left();
        ExploreResult result = runner_.explore_once(options_);
        result.states_before = states_before_;
        result.seconds_before = seconds_before_;
        seconds_before_ += result.seconds + result.graph_seconds;
        return result;
    }

    // The first search has found shortest violations; they stay found, whatever ends this search.
    static void keep_shorter(const ExploreResult& before, ExploreResult& result) {
        for (const FoundViolation& known : before.violations) {
            const auto again = std::find_if(
                result.violations.begin(), result.violations.end(),
                [&](const FoundViolation& found) { return found.property == known.property; });
            if (again == result.violations.end()) {
                result.violations.push_back(known);
            } else if (length_of(known) < length_of(*again)) {
                *again = known;
            }
        }
        std::stable_sort(result.violations.begin(), result.violations.end(),
                         [](const FoundViolation& left, const FoundViolation& right) {
                             return length_of(left) < length_of(right);
                         });
        if (!result.violations.empty() &&
            (is<Violated>(result.verdict) || is<Passed>(result.verdict) ||
             is<Inconclusive>(result.verdict))) {
            const FoundViolation& first = result.violations.front();
            result.verdict =
                Violated{"", std::string(first.property->name), first.schedule, first.cycle_start};
        }
    }
    static std::size_t length_of(const FoundViolation& violation) {
        return violation.schedule.actions.size();
    }

    const Runner& runner_;
    ExploreOptions options_;
    Deadline rest_;
    std::uint64_t states_before_ = 0;
    double seconds_before_ = 0;
    std::vector<const Property*> told_;
};

}  // namespace

ReductionPlan plan_of(const Runner& runner, const ExploreOptions& options) {
    if (const std::string_view why = why_every_state(options); !why.empty()) {
        return {Reduction::kNone, why};
    }
    const Reduction further = sound_for(runner, options);
    return {further, further == Reduction::kNone ? "nothing further is sound here" : ""};
}

ExploreResult Runner::explore(const ExploreOptions& options) const {
    if (options.reduction != Reduction::kNone && why_every_state(options).empty()) {
        return AutoSearch(*this, options).run();
    }
    if (!options.automatic.is_on || options.reduction != Reduction::kNone) {
        return explore_once(options);
    }
    const Reduction further = plan_of(*this, options).further;
    return further == Reduction::kNone ? explore_once(options)
                                       : AutoSearch(*this, options).run(further);
}

}  // namespace lockkeeper
