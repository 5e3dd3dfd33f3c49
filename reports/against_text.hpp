// SPDX-License-Identifier: Apache-2.0

// The report of `validate --against`, as text and as JSON
// (reports/schema/validate_against.schema.json). Used by the writers. No errors.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string against_text(const RunReport& report,
                                       const ReferenceComparison& comparison);
[[nodiscard]] nlohmann::ordered_json against_document(const Results& results);

}  // namespace lockkeeper
