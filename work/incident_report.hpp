// SPDX-License-Identifier: Apache-2.0

// The run that explains logs, as all reports draw it: a lane for each caller and one for the lock,
// a step for each line and for what no line shows, a bar while a caller holds. Used by `lockkeeper
// explain --report` and its formats beside text and JSON.
#pragma once

#include <string>

#include "validate/logs/command.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// `model`: as it was asked for.
[[nodiscard]] RunReport incident_report(const logs::ToldAnswer& told, const std::string& model);

}  // namespace lockkeeper
