// SPDX-License-Identifier: Apache-2.0

// How files came out, in words that all formats share.
#pragma once

#include <string>
#include <string_view>

#include "work/results/run_report.hpp"

namespace lockkeeper {

// "passed", "failed", "undecided", "not run"
[[nodiscard]] std::string_view name_of(FileOutcome outcome);
// "2 passed, 1 failed"; undecided and not run where there are any.
[[nodiscard]] std::string counts_text(const OutcomeCounts& counts);
// One line: the difference from what was expected, else the verdict, else why there is none.
[[nodiscard]] std::string outcome_message(const RunReport& report);
// Why the command does not pass, where no file's outcome explains it: an interrupt left files out,
// or a report could not be written. Empty: there is no such reason.
[[nodiscard]] std::string beyond_files(const Results& results);
// For links: report.place, or the file as it was named.
[[nodiscard]] const std::string& path_of(const RunReport& report);

}  // namespace lockkeeper
