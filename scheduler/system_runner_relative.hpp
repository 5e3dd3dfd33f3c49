// SPDX-License-Identifier: Apache-2.0

// Explorations in relative time: the search is that of another system (ErasedSystem), and what it
// finds is told in the time of this one. Part of system_runner.hpp.
#pragma once

namespace lockkeeper {

// The same steps by the clock of `absolute`: they differ in the instants that time goes on to.
template <System S>
[[nodiscard]] Schedule in_absolute_time(const S& absolute, const Schedule& relative) {
    Schedule schedule{relative.seed, {}};
    typename S::State state = absolute.initial();
    ActionList possible;
    for (const Action action : relative.actions) {
        absolute.enabled(state, possible);
        const auto* const found = std::find_if(possible.begin(), possible.end(), [&](Action one) {
            return action.kind == ActionKind::kTime ? one.kind == ActionKind::kTime : one == action;
        });
        LOCKKEEPER_CHECK(found != possible.end());
        schedule.actions.push_back(*found);
        absolute.apply(state, *found);
    }
    return schedule;
}

template <System S>
ExploreResult SystemRunner<S>::explore_in_relative_time(const ExploreOptions& asked) const {
    ExploreOptions options = asked;
    options.reduction = without_relative_time(asked.reduction);
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
            told.schedule = in_absolute_time(system_, violation.schedule);
            asked.found(told);
        };
    }
    const SystemRunner relative(system_.in_relative_time(), world_, features_, walkers_);
    ExploreResult result = relative.explore(options);
    result.reduction = with_relative_time(result.reduction);
    for (FoundViolation& violation : result.violations) {
        violation.schedule = in_absolute_time(system_, violation.schedule);
    }
    const bool stuck = is<Stuck>(result.verdict);
    const Schedule way =
        stuck ? in_absolute_time(system_, std::get<Stuck>(result.verdict).schedule) : Schedule{};
    if (livelock != nullptr && result.complete) {
        judge_livelock_unreduced(result, asked, *livelock);
    }
    decide(result, stuck);
    if (is<Stuck>(result.verdict)) {
        std::get<Stuck>(result.verdict).schedule = way;
    }
    return result;
}

}  // namespace lockkeeper
