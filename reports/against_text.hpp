// SPDX-License-Identifier: Apache-2.0

// The report of `validate --against`, as text and as JSON
// (reports/schema/validate_against.schema.json). Used by the writers. No errors.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reports/run_report.hpp"

namespace lockkeeper {

// "step 7: acquire of B answers "full", the reference "acquired"". `callers`: their names.
[[nodiscard]] std::string difference_text(const against::Compared& compared,
                                          const std::vector<std::string>& callers);
[[nodiscard]] std::string against_text(const RunReport& report,
                                       const ReferenceComparison& comparison);
[[nodiscard]] nlohmann::ordered_json against_document(const Results& results);

}  // namespace lockkeeper
