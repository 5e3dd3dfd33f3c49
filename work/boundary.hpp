// SPDX-License-Identifier: Apache-2.0

// The report of `--find-smallest`, `--find-largest` and a file's "find": each probe is an
// exploration (scenarios/registry/find_boundary.hpp). The values that were tried are all in it, and
// so are those that the scenario refuses.
#pragma once

#include <cstdint>
#include <functional>

#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// `prepare` makes the job with a value; BadInput and UsageError say why the scenario does not take
// it. `explore` makes the report of such a job. Fills the report as FoundBoundary says: passed with
// the answer, violated when no value in the range passes, inconclusive when a limit ended a probe.
// BadInput, or (`by_flag`) UsageError: the scenario takes none of the values.
void report_boundary(const Job& job, const BoundarySearch& find, bool by_flag,
                     const std::function<Job(std::int32_t)>& prepare,
                     const std::function<RunReport(const Job&)>& explore, RunReport& report);

}  // namespace lockkeeper
