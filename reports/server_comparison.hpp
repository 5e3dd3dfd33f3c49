// SPDX-License-Identifier: Apache-2.0

// The report of `validate --server`, as text and as JSON
// (reports/schema/validate_server.schema.json). Used by the writers. No errors; text from files and
// servers is made printable.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string server_comparison_text(const RunReport& report,
                                                 const ServerComparison& compared);
[[nodiscard]] std::string server_summary_text(const Results& results);
[[nodiscard]] nlohmann::ordered_json server_document(const Results& results);

}  // namespace lockkeeper
