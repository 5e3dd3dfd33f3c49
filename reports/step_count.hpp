// SPDX-License-Identifier: Apache-2.0

// How many steps a report says that a finding has. Used by the writers of text and JSON.
#pragma once

#include <algorithm>

#include "reports/run_report.hpp"

namespace lockkeeper {

// Counts the steps of the schedule, and those of a look at the end, which no schedule has.
[[nodiscard]] inline std::size_t step_count(const Finding& finding) {
    return std::max(finding.schedule.actions.size(), finding.trace.steps.size());
}

}  // namespace lockkeeper
