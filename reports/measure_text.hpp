// SPDX-License-Identifier: Apache-2.0

// The text that `measure` prints for a person: figures with unit and interval, how sure they are,
// and the operator's sentences. Called by the verb.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

// Version, seed, law, scope; file, system, properties.
[[nodiscard]] std::string measure_head(const RunReport& report, const Measurement& measured);
// The figures of all points.
[[nodiscard]] std::string measure_body(const RunReport& report, const Measurement& measured);
// Verdict, how exact, seed, files written, the command that repeats it.
[[nodiscard]] std::string measure_foot(const RunReport& report, const Measurement& measured);

}  // namespace lockkeeper
