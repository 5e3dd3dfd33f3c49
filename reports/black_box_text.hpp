// SPDX-License-Identifier: Apache-2.0

// Text for people about a program at the black-box level: the verdict with its words, and the
// report after the first lines (head_text of run_text.hpp). Plain ASCII, no errors.
#pragma once

#include <string>

#include "reports/run_report.hpp"
#include "validate/programs/black_box.hpp"

namespace lockkeeper {

// `model` judged the histories. A result that cannot be a pass is inconclusive, with the reason.
[[nodiscard]] Verdict black_box_verdict(const RunReport& report, const OutsideWorld& world,
                                        const BlackBoxResult& result, const std::string& model);
[[nodiscard]] std::string black_box_text(const RunReport& report, const BlackBoxAnswer& answer);

}  // namespace lockkeeper
