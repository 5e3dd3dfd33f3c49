// SPDX-License-Identifier: Apache-2.0

// Judges a measurement: whether its figures agree with each other and stay below their bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/registry/job.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// Fills verdict and `rates`. `below`: of all points; `max_rate`: of the first, the scenario as it
// stands.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate, RunReport& report);
// The same for a model. Where one scenario is measured, the model must also reach its goals. The
// search for goals has the scenario's time less `report.seconds`, to which it adds its own.
void judge_measurement(std::optional<double> below, const RateBounds& max_rate,
                       const std::vector<Job>& jobs, std::optional<std::uint64_t> bytes_max,
                       RunReport& report);

}  // namespace lockkeeper
