// SPDX-License-Identifier: Apache-2.0

// What a measurement comes to: whether its figures agree with each other and stay below their
// bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reports/run_report.hpp"
#include "scenarios/registry/job.hpp"

namespace lockkeeper {

// Fills verdict and `rates`. `below`: of all points; `max_rate`: of the first, the scenario as it
// stands.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report);
// The same for a model: that it reaches its goals, too, where one scenario is measured. The look
// for them has what the measurement took (`report.seconds`, to which it adds its own) leaves of the
// scenario's time.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate,
                       const std::vector<Job>& jobs, std::optional<std::uint64_t> bytes_max,
                       RunReport& report);

}  // namespace lockkeeper
