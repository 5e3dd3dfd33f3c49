// SPDX-License-Identifier: Apache-2.0

// The sentences that results have of themselves, whoever prints them: verdicts, scopes, the build.
// Used by work/ for verdicts and names, and by the writers. Plain ASCII, no errors.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

// The verdict with the detail that the report knows beyond it, where there is one: "P2 leak in 14
// steps".
[[nodiscard]] Verdict told_verdict(const RunReport& report);
// "violated: P2 leak in 14 steps", "inconclusive: limit states".
[[nodiscard]] std::string verdict_text(const RunReport& report);
// "lockkeeper 1.0.0 (1d41631ad230)"
[[nodiscard]] std::string build_text();
// "any number of A and of B (at least one of each), scripts repeat for ever, any number of crashes"
[[nodiscard]] std::string every_number_scope(const EveryNumber& numbers);
// "leak", "nobody can go on".
[[nodiscard]] std::string name_of(const SweptViolation& violation);

}  // namespace lockkeeper
