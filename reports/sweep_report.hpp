// What a sweep found, as text, as a JSON table that is stored and compared, and as CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/sweep_run.hpp"
#include "reports/conclusion.hpp"

namespace lockkeeper {

inline constexpr int kSweepTableVersion = 1;
// How every table begins, and a file that may be replaced by another.
inline constexpr std::string_view kSweepTableMark =
    "{\n\"$schema\": \"sweep_table.schema.json\",\n";

struct SweepReport : Conclusion {
    Sweep sweep;
    std::vector<SweepPoint> points;
    std::vector<SweptPoint> results;  // of each point
    std::string checked_against;      // a stored table; empty: none
    double seconds = 0;
};

// A row for each point, one a line.
[[nodiscard]] std::string sweep_table_json(const SweepReport& report);
[[nodiscard]] std::string sweep_table_csv(const SweepReport& report);

// The head, and a line for each point with a finding that the sweep does not expect, then totals.
[[nodiscard]] std::string sweep_head(const SweepReport& report);
[[nodiscard]] std::string sweep_text(const SweepReport& report);

// Passed, or violated by what is not expected, or inconclusive.
[[nodiscard]] Verdict sweep_verdict(const SweepReport& report);

// The first line in which a stored table is another than `table`: "line 7: stored X, found Y".
// Empty: they are the same.
[[nodiscard]] std::string first_table_difference(const std::string& stored,
                                                 const std::string& table);

}  // namespace lockkeeper
