// SPDX-License-Identifier: Apache-2.0
#include "reports/look_for_goals.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/check.hpp"
#include "reports/make_report.hpp"
#include "reports/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kSchedules = 1'000;

bool has_all(const Job& job, const std::vector<const Property*>& reached) {
    return std::all_of(job.reach.begin(), job.reach.end(), [&](const Property* goal) {
        return std::find(reached.begin(), reached.end(), goal) != reached.end();
    });
}

// By random schedules.
std::vector<const Property*> met(const Job& job, const GoalLimits& limits) {
    FuzzOptions options = fuzz_options_of(job);
    options.check.clear();
    options.schedules_max = kSchedules;
    options.seconds_max = limits.seconds_max;
    return job.runner->fuzz(options).reached;
}

// What ended the look; empty: nothing.
std::string explore_for(const Job& job, const GoalLimits& limits,
                        std::vector<const Property*>& reached) {
    ExploreOptions options = explore_options_of(job);
    options.check.clear();
    options.counting = Counting::kOff;
    options.states_max = std::min(options.states_max, limits.states_max);
    options.process_bytes_max =
        limits.bytes_max == 0 ? options.process_bytes_max : limits.bytes_max;
    options.seconds_max = limits.seconds_max;
    try {
        const ExploreResult result = job.runner->explore(options);
        reached.insert(reached.end(), result.reached.begin(), result.reached.end());
        return result.complete ? "" : result.limit;
    } catch (const LimitExceeded& reason) {
        return reason.what();
    }
}

}  // namespace

void judge_goals(const Job& job, const GoalLimits& limits, const std::string& proved,
                 RunReport& report) {
    if (job.reach.empty()) {
        return;
    }
    std::vector<const Property*> reached = met(job, limits);
    const std::string limit = has_all(job, reached) ? "" : explore_for(job, limits, reached);
    note_goals(job, reached, report);
    if (!is<Passed>(report.verdict) || report.goals_missed.empty()) {
        return;
    }
    const std::string goals = "goal " + names_text(report.goals_missed);
    if (limit.empty()) {
        report.verdict = Unreached{goals};
    } else {
        report.verdict =
            Inconclusive{limit, fmt::format("{}, but {} is not reached yet", proved, goals)};
    }
}

}  // namespace lockkeeper
