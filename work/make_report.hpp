// SPDX-License-Identifier: Apache-2.0

// The report of a file, made once from what its search or its run came to. Findings are explained
// before (findings.hpp): they need the runner once more.
#pragma once

#include <string>

#include "model/world_config.hpp"
#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// With everything that is known before the run. `command`: "explore".
[[nodiscard]] RunReport begin_report(const Job& job, const std::string& command,
                                     const std::string& strategy);

// Notes which goals of the job are among these, and which are not.
void note_goals(const Job& job, const std::vector<const Property*>& reached, RunReport& report);
// A search that looked everywhere it was told to and did not reach a goal has failed. Call it when
// everything else of the report is known.
void conclude(RunReport& report, Verdict verdict);

void add_exploration(const Job& job, ExploreResult result, RunReport& report);
void add_fuzzing(const Job& job, FuzzResult result, RunReport& report);
// Judges a run that has been replayed; its findings are added, too.
void add_run(const Job& job, Trace trace, OnDivergence on_divergence, RunReport& report);

// For a recorded run: the trace file itself says how it is replayed. If the run does not show what
// it was recorded for, that is a divergence.
void compare_with_record(const RecordedTrace& recorded, const Job& job, RunReport& report);

// The scope of a run in one line, for a report's first line and short beside its verdict. A
// "passed" means nothing without its scope. "2 callers, 1 key, max_per 1, buckets 2, crashes 0";
// different values of one kind as "1,2".
[[nodiscard]] std::string scope_text(const WorldConfig& world);
// "2 callers, 1 crash"
[[nodiscard]] std::string short_scope_text(const WorldConfig& world);

// Callers, views and faults of the scope, with the parameters that were derived or set.
[[nodiscard]] std::string scope_of(const RegisteredSystem& system, const Scenario& scenario,
                                   const WorldConfig& world);
[[nodiscard]] std::string scope_of(const Job& job);

}  // namespace lockkeeper
