// SPDX-License-Identifier: Apache-2.0

// Text for people about a program at the stepped level. The first lines are those of every run
// (head_text of run_text.hpp). Plain ASCII, no errors.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string stepped_text(const RunReport& report, const SteppedAnswer& answer);

// For both levels.
[[nodiscard]] std::string passed_over_text(const RunReport& report);
[[nodiscard]] std::string last_words_text(const std::string& last_words);

}  // namespace lockkeeper
