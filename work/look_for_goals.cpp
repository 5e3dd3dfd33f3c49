// SPDX-License-Identifier: Apache-2.0
#include "work/look_for_goals.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/check.hpp"
#include "scheduler/base/deadline.hpp"
#include "work/make_report.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

constexpr std::array<std::uint64_t, 3> kSchedules = {10, 100, 1'000};

// By random schedules: a few, and more only while a goal is left.
std::vector<const Property*> met(const Job& job, const Deadline& rest) {
    FuzzOptions options = fuzz_options_of(job);
    options.check.clear();
    std::vector<const Property*> reached;
    for (const std::uint64_t schedules : kSchedules) {
        options.schedules_max = schedules;
        options.seconds_max = rest.left();
        reached = job.runner->fuzz(options).reached;
        if (reaches_all(job, reached) || rest.is_past() || interrupt_requested()) {
            return reached;
        }
    }
    return reached;
}

// Explores, and returns the limit that ended the search; empty: it is complete.
std::string explore_for(const Job& job, const GoalLimits& limits, const Deadline& rest,
                        std::vector<const Property*>& reached) {
    ExploreOptions options = explore_options_of(job);
    options.check.clear();
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

}  // namespace

void judge_goals(const Job& job, const GoalLimits& limits, const std::string& proved,
                 RunReport& report) {
    if (job.reach.empty()) {
        return;
    }
    const Deadline rest(limits.seconds_max);
    std::vector<const Property*> reached = met(job, rest);
    const std::string limit =
        reaches_all(job, reached) ? "" : explore_for(job, limits, rest, reached);
    note_goals(job, reached, report);
    if (!is<Passed>(report.verdict) || report.goals_missed.empty()) {
        return;
    }
    const std::string goals = "goal " + names_text(report.goals_missed);
    if (limit.empty()) {
        report.verdict = Unreached{goals};
    } else {
        report.verdict =
            Inconclusive{limit, fmt::format("{}, but {} is not reached yet (ended by limit: {})",
                                            proved, goals, limit)};
    }
}

}  // namespace lockkeeper
