// SPDX-License-Identifier: Apache-2.0

// Text for people about a program at the black-box level: the report after the first lines
// (head_text of run_text.hpp). Plain ASCII, no errors.
#pragma once

#include <string>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string black_box_text(const RunReport& report, const BlackBoxAnswer& answer);

}  // namespace lockkeeper
