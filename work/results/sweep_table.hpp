// SPDX-License-Identifier: Apache-2.0

// The results of a sweep as a table: JSON that is stored, read again and compared. Used by
// sweep_job, and the writer of JSON.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "work/results/details.hpp"

namespace lockkeeper {

inline constexpr int kSweepTableVersion = 1;
// How every table begins, and a file that may be replaced by another.
inline constexpr std::string_view kSweepTableMark =
    "{\n\"$schema\": \"sweep_table.schema.json\",\n";

// A row for each point, one a line. Rates have so many digits as every compiler computes alike.
[[nodiscard]] std::string sweep_table_json(const SweptTable& table);

// The first line in which a stored table differs from `table`: "line 7: stored X, found Y". Empty:
// they say the same. A stored table may have rows of the sweep's points that were not asked for,
// and no others.
[[nodiscard]] std::string first_table_difference(const std::string& stored,
                                                 const SweptTable& table);

// The name of a row is its "at". The second returns a stored table's rows with more states.
[[nodiscard]] std::string row_name(const Sweep& sweep,
                                   const std::vector<std::vector<std::string>>& chosen);
[[nodiscard]] std::set<std::string> rows_above(const std::string& stored, std::uint64_t states);

}  // namespace lockkeeper
