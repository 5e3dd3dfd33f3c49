// SPDX-License-Identifier: Apache-2.0

// What is said of one file for people, whatever kind of answer it is. Each kind's words are in a
// file of its own. Used by the writers of text, and by those that put text into another format.
#pragma once

#include <string>

#include "reports/run_report.hpp"

namespace lockkeeper {

// What is known before the run. `is_verbose`: the scenario's own words, too.
[[nodiscard]] std::string answer_head(const RunReport& report, bool is_verbose);
// What it came to; of a test one line.
[[nodiscard]] std::string answer_text(const RunReport& report, bool is_verbose);
// Both; of a test, too, with its runs.
[[nodiscard]] std::string whole_text(const RunReport& report);

}  // namespace lockkeeper
