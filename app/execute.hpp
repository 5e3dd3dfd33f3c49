// Running a job as the flags say and filling its report: verdict, numbers, findings, goals, exit
// code. Used by the verbs; `run` uses all of them. Errors are exceptions, see session.hpp.
#pragma once

#include "app/job.hpp"
#include "reports/searches.hpp"

namespace lockkeeper {

// What the verbs want of a search beside what flags and scenario say.
struct SearchChoice {
    bool stop_at_first = true;
    bool shrinks = true;  // else findings are shown as they were found, without causes
    bool writes = true;   // trace files, where --out says where
    // explore
    Counting counting = Counting::kAuto;
    bool tells_causes = false;  // one violation of each property and cause
    // fuzz
    bool uses_corpus = false;  // the traces of this scenario that are in --out
};
void execute_explore(const Session& session, const Job& job, const SearchChoice& choice,
                     RunReport& report);
void execute_fuzz(const Session& session, const Job& job, const SearchChoice& choice,
                  RunReport& report);
// --find-smallest, --find-largest, or what the file says: explorations of the job with other values
// (reports/boundary_report.hpp). BadInput, UsageError: the system has no such parameter, or takes
// none of the values.
void execute_find(const Session& session, const Job& job, const BoundarySearch& find,
                  RunReport& report);

// Writes its trace into --out and names it in both; what cannot be written is said.
void write_finding(const Session& session, const Scenario& scenario, Finding& finding,
                   RunReport& report);

// "breadth-first", "depth-first"
[[nodiscard]] std::string explore_strategy(const Options& options);

}  // namespace lockkeeper
