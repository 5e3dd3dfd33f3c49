// SPDX-License-Identifier: Apache-2.0

// The verdict on a program that was run as a black box, with its words. Used by run_recorded.
#pragma once

#include <string>

#include "validate/programs/black_box.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// `model` judged the histories. A result that cannot be a pass is inconclusive, with the reason.
[[nodiscard]] Verdict black_box_verdict(const RunReport& report, const OutsideWorld& world,
                                        const BlackBoxResult& result, const std::string& model);

}  // namespace lockkeeper
