// SPDX-License-Identifier: Apache-2.0

// The results of a sweep as text, and its verdict.
#pragma once

#include <string>

#include "reports/run_report.hpp"

namespace lockkeeper {

// The head, and a line for each point that was measured or has a finding that the sweep does not
// expect, then totals.
[[nodiscard]] std::string sweep_head(const SweptTable& table);
[[nodiscard]] std::string sweep_text(const RunReport& report, const SweptTable& table);

// Passed, or violated by an unexpected finding, or inconclusive. For measurements: whether exact
// and sampled figures agree.
[[nodiscard]] Verdict sweep_verdict(const SweptTable& table);

}  // namespace lockkeeper
