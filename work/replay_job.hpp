// SPDX-License-Identifier: Apache-2.0

// The report of `replay`: one run of a scenario or of a trace file, step by step. Errors:
// UsageError for a cycle that is no part of the run; as of run_job_once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

struct ReplayRequest {
    const RecordedTrace* trace = nullptr;     // null: the file is a scenario
    std::optional<Schedule> given;            // instead of the file's
    std::optional<std::uint64_t> cycle_from;  // from 1: the schedule is a cycle from there on
    OnDivergence on_divergence = OnDivergence::kStop;
    bool compares = false;  // see run_job_once
};

// With everything that is known before the run. `command`: "replay".
[[nodiscard]] RunReport begin_replay(const Job& job, const ReplayRequest& request,
                                     const std::string& command);
// A piece of a run is replayed to look at it: goals that it does not reach are no failure.
void run_replay(const Job& job, const ReplayRequest& request, RunReport& report);

}  // namespace lockkeeper
