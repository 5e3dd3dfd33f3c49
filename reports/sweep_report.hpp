// SPDX-License-Identifier: Apache-2.0

// The results of a sweep as text.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

// The head, and a line for each point that was measured or has a finding that the sweep does not
// expect, then totals.
[[nodiscard]] std::string sweep_head(const SweptTable& table);
[[nodiscard]] std::string sweep_text(const RunReport& report, const SweptTable& table);

}  // namespace lockkeeper
