// SPDX-License-Identifier: Apache-2.0

// The report of `validate --history`, as text and as JSON (reports/schema/history.schema.json).
// Used by the writers. No errors; text from the file is made printable.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string history_head_text(const JudgedHistory& judged);
// `is_whole`: all operations of the longest prefix, not only the last.
[[nodiscard]] std::string history_body_text(const RunReport& report, const JudgedHistory& judged,
                                            bool is_whole);
// "complete: 4 operations, 0 of them open for ever, on 1 key: ..."
[[nodiscard]] std::string history_scope_text(const HistoryCheck& check);
[[nodiscard]] nlohmann::ordered_json ladder_json(const HistoryCheck& check);
[[nodiscard]] nlohmann::ordered_json history_document(const RunReport& report,
                                                      const JudgedHistory& judged);

}  // namespace lockkeeper
