// What a sweep found, as text, as a JSON table that is stored and compared, and as CSV. Used by the
// writers and by the verb.
#pragma once

#include <string>
#include <string_view>

#include "reports/run_report.hpp"

namespace lockkeeper {

inline constexpr int kSweepTableVersion = 1;
// How every table begins, and a file that may be replaced by another.
inline constexpr std::string_view kSweepTableMark =
    "{\n\"$schema\": \"sweep_table.schema.json\",\n";

// A row for each point, one a line.
[[nodiscard]] std::string sweep_table_json(const SweptTable& table);
[[nodiscard]] std::string sweep_table_csv(const SweptTable& table);

// The head, and a line for each point with a finding that the sweep does not expect, then totals.
[[nodiscard]] std::string sweep_head(const SweptTable& table);
[[nodiscard]] std::string sweep_text(const RunReport& report, const SweptTable& table);

// Passed, or violated by what is not expected, or inconclusive.
[[nodiscard]] Verdict sweep_verdict(const SweptTable& table);

// The first line in which a stored table is another than `table`: "line 7: stored X, found Y".
// Empty: they are the same.
[[nodiscard]] std::string first_table_difference(const std::string& stored,
                                                 const std::string& table);

}  // namespace lockkeeper
