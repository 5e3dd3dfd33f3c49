// The report of `--find-smallest`, `--find-largest` and a file's "find": each probe is an
// exploration (scenarios/registry/find_boundary.hpp). The values that were tried are all in it, and
// so are those that the scenario refuses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reports/run_report.hpp"

namespace lockkeeper {

// `why_refused`: empty where the scenario takes the value. Fills the report as FoundBoundary says:
// passed with the answer, violated when no value in the range passes, inconclusive when a limit
// ended a probe. Returns why the scenario takes none of the values; then nothing was explored.
[[nodiscard]] std::optional<std::string> report_boundary(
    const BoundarySearch& find, const std::function<std::string(std::int32_t)>& why_refused,
    const std::function<RunReport(std::int32_t)>& explore, RunReport& report);

}  // namespace lockkeeper
