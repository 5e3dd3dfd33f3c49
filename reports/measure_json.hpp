// SPDX-License-Identifier: Apache-2.0

// The JSON document of `measure`. Its schema is published as reports/schema/measure.schema.json. A
// number that is infinite (the mean does not exist, it never happens) is null. Used by json_writer.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "work/results/run_report.hpp"

namespace lockkeeper {

inline constexpr int kMeasureVersion = 1;

// One of its files.
[[nodiscard]] nlohmann::ordered_json measured_file(const RunReport& report);
[[nodiscard]] nlohmann::ordered_json measure_document(const Results& results);

}  // namespace lockkeeper
