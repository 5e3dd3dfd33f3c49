// SPDX-License-Identifier: Apache-2.0

// The reports of `validate --against` and `validate --server`: two sides compared, and the
// difference that is shown.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.hpp"
#include "scenarios/registry/job.hpp"
#include "validate/compare/compare.hpp"
#include "validate/servers/compared_server.hpp"

namespace lockkeeper {

// Compares them with the report's seed, and fills the report. Returns its finding, without the
// command that shows it again and without what only the caller can say of the candidate; null:
// there is no difference. `candidate`: its name. Throws Misbehaved where a program cannot be used
// at all.
[[nodiscard]] Finding* compare_with_reference(const against::Against& against,
                                              const against::CompareLimits& limits,
                                              const std::vector<CallerConfig>& callers,
                                              const std::string& candidate, RunReport& report);

// The same of a model and a server. What cannot be put to the server is in the report.
void compare_with_server(const Job& job, databases::ComparedServer& server,
                         const databases::ComparisonLimits& limits, RunReport& report);

}  // namespace lockkeeper
