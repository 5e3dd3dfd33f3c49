// SPDX-License-Identifier: Apache-2.0
#include "work/look_for_goals.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/check.hpp"
#include "properties/catalogue.hpp"
#include "scheduler/base/deadline.hpp"
#include "work/make_report.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::array<std::uint64_t, 3> kSchedules = {10, 100, 1'000};

bool is_among(const Property* goal, const Goals& goals) {
    return std::find(goals.begin(), goals.end(), goal) != goals.end();
}

const Property* acquired() { return find_goal("acquired"); }

// By random schedules: a few, and more only while a goal is left.
Goals met(const Job& job, const Goals& goals, const Deadline& rest) {
    FuzzOptions options = fuzz_options_of(job);
    options.check.clear();
    options.reach = goals;
    Goals reached;
    for (const std::uint64_t schedules : kSchedules) {
        options.schedules_max = schedules;
        options.seconds_max = rest.left();
        reached = job.runner->fuzz(options).reached;
        if (has_all(goals, reached) || rest.is_past() || interrupt_requested()) {
            return reached;
        }
    }
    return reached;
}

// Explores, and returns the limit that ended the search; empty: it is complete.
std::string explore_for(const Job& job, const Goals& goals, const GoalLimits& limits,
                        const Deadline& rest, Goals& reached) {
    ExploreOptions options = explore_options_of(job);
    options.check.clear();
    options.reach = goals;
    options.counting = Counting::kOff;
    options.states_max = std::min(options.states_max, limits.states_max);
    options.process_bytes_max =
        limits.bytes_max == 0 ? options.process_bytes_max : limits.bytes_max;
    options.seconds_max = rest.left();
    try {
        const ExploreResult result = job.runner->explore(options);
        reached.insert(reached.end(), result.reached.begin(), result.reached.end());
        return result.complete ? "" : result.limit;
    } catch (const LimitExceeded& reason) {
        return reason.what();
    }
}

bool asks_to_acquire(const Job& job) {
    const auto& callers = job.scenario.world.callers;
    return std::any_of(callers.begin(), callers.end(), [](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(),
                           [](const Operation& call) { return call.verb == Verb::kAcquire; });
    });
}

}  // namespace

bool has_all(const Goals& goals, const Goals& reached) {
    return std::all_of(goals.begin(), goals.end(),
                       [&](const Property* goal) { return is_among(goal, reached); });
}

Goals goals_of_proof(const Job& job) {
    Goals goals = job.reach;
    if (asks_to_acquire(job) && !is_among(acquired(), goals)) {
        goals.push_back(acquired());
    }
    return goals;
}

bool needs_any_goal(const Job& job) { return job.reach.empty() && asks_to_acquire(job); }

void doubt_without_acquire(const Goals& reached, RunReport& report) {
    if (is<Passed>(report.verdict) && !is_among(acquired(), reached)) {
        report.verdict = Inconclusive{"", "nothing is violated, but nobody acquires"};
    }
}

void doubt_without_acquire(const Job& job, const GoalLimits& limits, RunReport& report) {
    if (!is<Passed>(report.verdict) || !needs_any_goal(job)) {
        return;
    }
    const Goals goals = {acquired()};
    const Deadline rest(limits.seconds_max);
    Goals reached = met(job, goals, rest);
    const std::string limit = reached.empty() ? explore_for(job, goals, limits, rest, reached) : "";
    if (!limit.empty() && reached.empty()) {
        report.verdict = Inconclusive{
            limit, "nothing is violated, but nobody acquires yet (ended by limit: " + limit + ")"};
        return;
    }
    doubt_without_acquire(reached, report);
}

void judge_goals(const Job& job, const Goals& goals, const GoalLimits& limits,
                 const std::string& proved, RunReport& report) {
    if (goals.empty()) {
        return;
    }
    const Deadline rest(limits.seconds_max);
    ReachedGoals found{met(job, goals, rest), ""};
    if (!has_all(goals, found.reached)) {
        found.limit = explore_for(job, goals, limits, rest, found.reached);
    }
    conclude_goals(job, goals, found, proved, report);
}

void conclude_goals(const Job& job, const Goals& goals, const ReachedGoals& found,
                    const std::string& proved, RunReport& report) {
    note_goals(job, found.reached, report);
    if (!is<Passed>(report.verdict) || has_all(goals, found.reached)) {
        return;
    }
    const std::string missed = report.goals_missed.empty()
                                   ? std::string("that anybody acquires")
                                   : "goal " + names_text(report.goals_missed);
    if (!found.limit.empty()) {
        report.verdict = Inconclusive{
            found.limit, fmt::format("{}, but {} is not reached yet (ended by limit: {})", proved,
                                     missed, found.limit)};
    } else if (!report.goals_missed.empty()) {
        report.verdict = Unreached{missed};
    } else {
        report.verdict = Inconclusive{"", proved + ", but nobody can acquire"};
    }
}

}  // namespace lockkeeper
