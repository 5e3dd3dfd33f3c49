// SPDX-License-Identifier: Apache-2.0

// Text for people about one file, for every kind of answer. Each kind's words are in a file of its
// own. Used by the writers of text, and by those that put text into another format.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

// The lines known before the run. `is_verbose`: with the scenario's own words.
[[nodiscard]] std::string answer_head(const RunReport& report, bool is_verbose);
// The result; for a test one line.
[[nodiscard]] std::string answer_text(const RunReport& report, bool is_verbose);
// Head and result together; for a test with its runs.
[[nodiscard]] std::string whole_text(const RunReport& report);

}  // namespace lockkeeper
