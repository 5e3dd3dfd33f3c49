// The JSON document and the CSV table of `measure`. The document's schema is published as
// reports/schema/measure.schema.json. A number that is infinite (the mean does not exist, it never
// happens) is null. Text that is not UTF-8 is replaced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/measure_report.hpp"

namespace lockkeeper {

inline constexpr int kMeasureVersion = 1;

// `exit_code` is that of the whole command. Ends with a line end.
[[nodiscard]] std::string measure_document(const std::vector<MeasureReport>& reports,
                                           int exit_code);

// How every table begins, and a file that may be replaced by another.
inline constexpr std::string_view kCsvMark = "file,system,variant,parameter_1,value_1,";
// One figure a row; the first row has the names. Infinite: "inf". Lines end with "\n".
[[nodiscard]] std::string measure_csv(const std::vector<MeasureReport>& reports);

}  // namespace lockkeeper
