// SPDX-License-Identifier: Apache-2.0

// Searching a job, and what that came to as its report: explored or fuzzed, what was found is
// explained, replayed and written. Called with the options that the command line and the scenario
// say. Errors: as Runner's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/measured_point.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/shrink/shrink.hpp"
#include "work/desk.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The watcher of a search, and what becomes of what it finds.
struct Following {
    const Desk& desk;
    Watcher& watcher;
    bool shrinks = true;  // else findings are shown as they were found, without causes
    // Writes the trace and names it in the finding; null: none is written.
    std::function<void(const Scenario&, Finding&)> write = {};
};

// "breadth-first", "depth-first"
[[nodiscard]] std::string strategy_of(std::optional<Frontier> frontier);

// For the head: "symmetry, sleep sets; beyond 300,000 states faults left (auto; --reduction none
// uses none)".
[[nodiscard]] std::string reduction_plan(const Runner& runner, const ExploreOptions& options);

// Adds an exploration's findings and their runs, which it shortens as long as the limits allow.
void show_exploration(const Job& job, ExploreResult result, const ShrinkLimits& limits,
                      const Following& following, RunReport& report);
// UsageError: options that do not go together.
void explore_job(const Job& job, ExploreOptions options, const Following& following,
                 RunReport& report);
// `bytes_max`: what the process may take while it shrinks.
void fuzz_job(const Job& job, FuzzOptions options, std::uint64_t bytes_max,
              const Following& following, RunReport& report);
// One given run: of the schedule, or (null) the scenario's own order or schedule. `compares`: what
// it finds has the nearest run that passes beside it.
void run_job_once(const Job& job, const Schedule* schedule, const ReplayOptions& options,
                  RunReport& report, bool compares = false);

// The same with the scenario's own, within a command's time. `describes`: with its words.
void run_own(const Job& job, bool describes, bool compares, const Deadline& deadline,
             RunReport& report);

// The rest is called by the verbs: it runs a job as the flags say. Errors: see desk.hpp.

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
// (scenarios/registry/find_boundary.hpp). BadInput, UsageError: the system has no such
// parameter, or takes none of the values.
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

// Goals of a verb whose own work meets no runs (`measure`, `prove`, `check-certificate`): random
// schedules reach most of them at once, and an exploration decides about the others.

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
