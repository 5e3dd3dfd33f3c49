// SPDX-License-Identifier: Apache-2.0

// Goals of a verb whose own work meets no runs (`measure`, `prove`, `check-certificate`): random
// schedules reach most of them at once, and an exploration decides about the others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

struct GoalLimits {
    std::uint64_t states_max = 1'000'000;
    std::uint64_t bytes_max = 0;
    double seconds_max = 1e18;
};

using Goals = std::vector<const Property*>;

[[nodiscard]] bool has_all(const Goals& goals, const Goals& reached);

// The scenario's, and that somebody acquires where a script asks for it: where nobody ever holds
// anything, every lock is proved.
[[nodiscard]] Goals goals_of_proof(const Job& job);

// A search that passes without a run in which anybody acquires has judged nothing: inconclusive.
// A scenario with goals has said itself what has to happen.
[[nodiscard]] bool needs_any_goal(const Job& job);
void doubt_without_acquire(const Job& job, const GoalLimits& limits, RunReport& report);
// The same where the search has looked for it.
void doubt_without_acquire(const Goals& reached, RunReport& report);

// Looks for them, and concludes.
void judge_goals(const Job& job, const Goals& goals, const GoalLimits& limits,
                 const std::string& proved, RunReport& report);

// Fills in the goals of the report. A goal that nothing reaches makes a pass unreached, or
// inconclusive where a limit ended the look: `proved` says what passed all the same.
struct ReachedGoals {
    Goals reached;
    std::string limit;  // that ended the look for the others; empty: none did
};
void conclude_goals(const Job& job, const Goals& goals, const ReachedGoals& found,
                    const std::string& proved, RunReport& report);

}  // namespace lockkeeper
