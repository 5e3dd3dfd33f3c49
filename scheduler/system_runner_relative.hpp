// SPDX-License-Identifier: Apache-2.0

// Explorations in relative time: the search is that of another system (ErasedSystem), and what it
// finds is told in the time of this one. And livelock behind a reduced search, which is judged by a
// search of its own. Part of system_runner.hpp.
#pragma once

namespace lockkeeper {

// The same steps by the clock of `absolute`: they differ in the instants that time goes on to.
// Nothing: the clock has no number for one of them.
template <System S>
[[nodiscard]] std::optional<Schedule> in_absolute_time(const S& absolute,
                                                       const Schedule& relative) {
    Schedule schedule{relative.seed, {}};
    typename S::State state = absolute.initial();
    ActionList possible;
    for (const Action action : relative.actions) {
        absolute.enabled(state, possible);
        const bool is_time = action.kind == ActionKind::kTime;
        const auto* const found = std::find_if(possible.begin(), possible.end(), [&](Action one) {
            return is_time ? one.kind == ActionKind::kTime : one == action;
        });
        if (is_time && found == possible.end()) {
            return std::nullopt;
        }
        LOCKKEEPER_CHECK(found != possible.end());
        schedule.actions.push_back(*found);
        try {
            absolute.apply(state, *found);
        } catch (const LimitExceeded&) {
            return std::nullopt;
        }
    }
    return schedule;
}

// The options beside relative time. Where a state says how much time is left, states are told apart
// by it, unless the one with more left goes on.
template <System S>
ExploreOptions SystemRunner<S>::beside_relative_time(const ExploreOptions& asked) const {
    ExploreOptions options = asked;
    options.reduction = without_relative_time(asked.reduction);
    const bool keeps_all_states = !asked.disk.directory.empty() || asked.ranks != nullptr ||
                                  asked.frontier != Frontier::kQueue ||
                                  !asked.checkpoint.save_to.empty() ||
                                  !asked.checkpoint.resume_from.empty();
    if (system_.has_time_left() && !keeps_all_states) {
        options.reduction = Reduction::kFaultsLeft;
    }
    return options;
}

template <System S>
ExploreResult SystemRunner<S>::explore_in_relative_time(const ExploreOptions& asked) const {
    const Deadline rest(asked.seconds_max);
    ExploreOptions options = beside_relative_time(asked);
    options.causes_max = 1;  // their words would tell of other instants
    options.counting = Counting::kOff;
    const Property* livelock = nullptr;
    std::erase_if(options.check, [&](const Property* property) {
        const bool is_livelock = property->is(PropertyNumber::kLivelock);
        livelock = is_livelock ? property : livelock;
        return is_livelock;
    });
    if (asked.found) {
        options.found = [&](const FoundViolation& violation) {
            FoundViolation told = violation;
            if (auto schedule = in_absolute_time(system_, violation.schedule)) {
                told.schedule = std::move(*schedule);
                asked.found(told);
            }
        };
    }
    SystemRunner relative(system_.in_relative_time(), world_, features_, walkers_);
    relative.tells_whether_runs_end_ = livelock != nullptr;
    ExploreResult result = relative.explore_once(options);
    result.reduction = with_relative_time(result.reduction);
    std::optional<Schedule> stuck;
    if (const auto* end = std::get_if<Stuck>(&result.verdict)) {
        stuck = in_absolute_time(system_, end->schedule);
        result.beyond_clock = !stuck;
    }
    std::erase_if(result.violations, [&](FoundViolation& violation) {
        auto schedule = in_absolute_time(system_, violation.schedule);
        violation.schedule = schedule.value_or(Schedule{});
        result.beyond_clock = result.beyond_clock || !schedule;
        return !schedule;
    });
    result.complete = result.complete && !result.beyond_clock;
    if (!result.complete && result.limit.empty()) {
        result.limit = "what was found comes later than the clock has numbers";
    }
    if (livelock != nullptr && result.complete) {
        judge_livelock_unreduced(result, asked, rest, *livelock);
    }
    decide(result, stuck.has_value());
    if (is<Stuck>(result.verdict)) {
        std::get<Stuck>(result.verdict).schedule = *stuck;
    }
    return result;
}

// Where every step is a transition. A run that goes on for ever goes on in the reduced graph, too:
// without a cycle there, nothing is left to be searched.
template <System S>
void SystemRunner<S>::judge_livelock_unreduced(ExploreResult& result, const ExploreOptions& options,
                                               const Deadline& rest,
                                               const Property& livelock) const {
    if (result.runs_end) {
        result.acyclic = true;
        return;
    }
    ExploreOptions unreduced = options;
    unreduced.seconds_max = rest.left();
    unreduced.reduction = Reduction::kNone;
    unreduced.disk = {};  // the other search has it
    unreduced.check = {&livelock};
    unreduced.reach.clear();
    unreduced.counting = Counting::kOff;
    unreduced.checkpoint = {};
    const ExploreResult again = explore_once(unreduced);
    result.violations.insert(result.violations.end(), again.violations.begin(),
                             again.violations.end());
    result.complete = again.complete;
    result.limit = again.limit;
    result.graph_seconds += again.seconds + again.graph_seconds;
}

}  // namespace lockkeeper
