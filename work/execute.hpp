// SPDX-License-Identifier: Apache-2.0

// Running a job as the flags say and filling its report: verdict, numbers, findings, goals, exit
// code. Used by the verbs; `run` uses all of them. Errors are exceptions, see desk.hpp.
#pragma once

#include <vector>

#include "measure/measured_point.hpp"
#include "work/desk.hpp"
#include "work/searches.hpp"

namespace lockkeeper {

// A verb's wishes for a search, beside what flags and scenario say.
struct SearchChoice {
    bool stop_at_first = true;
    bool shrinks = true;  // else findings are shown as they were found, without causes
    bool writes = true;   // trace files, where --out says where
    // explore
    bool shows_head = false;  // before it searches
    Counting counting = Counting::kAuto;
    bool tells_causes = false;  // one violation of each property and cause
    // fuzz
    bool uses_corpus = false;  // the traces of this scenario that are in --out
};
void execute_explore(const Desk& desk, const Job& job, const SearchChoice& choice,
                     RunReport& report);
void execute_fuzz(const Desk& desk, const Job& job, const SearchChoice& choice, RunReport& report);
// --find-smallest, --find-largest, or what the file says: explorations of the job with other values
// (work/boundary.hpp). BadInput, UsageError: the system has no such parameter, or takes
// none of the values.
void execute_find(const Desk& desk, const Job& job, const BoundarySearch& find, RunReport& report);
// The same for every number of callers: each probe is `prove`.
void execute_find_proof(const Desk& desk, const Job& job, const BoundarySearch& find,
                        RunReport& report);

// A verdict for every number of callers (work/prove_job.hpp).
void execute_prove(const Desk& desk, const Job& job, RunReport& report);

[[nodiscard]] MeasureOptions measure_options(const Desk& desk, const Job& job, const Law& law);
// By property, whether its probability per run is at most what the scenario's `max_rate` says.
[[nodiscard]] std::vector<RateCheck> check_rates(const Desk& desk, const Job& job);

// The runs of this scenario whose traces are in --out.
[[nodiscard]] std::vector<Schedule> corpus_of(const Desk& desk, const Scenario& scenario);
// Writes its trace into --out and names it in both; what cannot be written is said.
void write_finding(const Desk& desk, const Scenario& scenario, Finding& finding, RunReport& report);

}  // namespace lockkeeper
