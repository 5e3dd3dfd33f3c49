// SPDX-License-Identifier: Apache-2.0

// Goals of a verb whose own work meets no runs (`measure`, `check-certificate`): random schedules
// reach most of them at once, and an exploration decides about the others.
#pragma once

#include <cstdint>

#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

struct GoalLimits {
    std::uint64_t states_max = 1'000'000;
    std::uint64_t bytes_max = 0;
    double seconds_max = 1e18;
};

// Fills in the goals of the report. A goal that nothing reaches makes a pass unreached, or
// inconclusive where a limit ended the look: `proved` says what passed all the same.
void judge_goals(const Job& job, const GoalLimits& limits, const std::string& proved,
                 RunReport& report);

}  // namespace lockkeeper
