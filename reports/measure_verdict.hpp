// SPDX-License-Identifier: Apache-2.0

// What a measurement comes to: whether its figures agree with each other and stay below their
// bounds.
#pragma once

#include <optional>

#include "reports/run_report.hpp"

namespace lockkeeper {

// Fills verdict and `rates`. `below`: of all points; `max_rate`: of the first, the scenario as it
// stands.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report);

}  // namespace lockkeeper
