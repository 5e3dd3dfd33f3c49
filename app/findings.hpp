// From a violation that a search found to one that can be shown: shrunk, explained, re-verified by
// replaying it, and written to a trace file; what fuzzing found also in a smaller scenario, where
// there is one. Used by execute.
#pragma once

#include "app/execute.hpp"
#include "reports/findings.hpp"

namespace lockkeeper {

// Appends to report.findings. `violation.property` null: a run after which nobody can go on.
// `found_by` empty: not by fuzzing.
// Throws InternalError when the violation does not replay: then the harness is wrong.
void add_finding(const Session& session, const Job& job, const Explaining& explaining,
                 const FoundViolation& violation, const std::string& found_by, RunReport& report);

// Writes its trace into --out and names it in both; what cannot be written is said.
void write_finding(const Session& session, const Scenario& scenario, Finding& finding,
                   RunReport& report);

}  // namespace lockkeeper
