// SPDX-License-Identifier: Apache-2.0

// The results of `prove` and `check-certificate`, for people and in a document. Plain ASCII.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "work/results/run_report.hpp"

namespace lockkeeper {

[[nodiscard]] std::string every_number_text(const RunReport& report, const EveryNumber& numbers);
[[nodiscard]] std::string checked_states_text(const RunReport& report,
                                              const CheckedStates& checked);
[[nodiscard]] nlohmann::ordered_json every_number_json(const EveryNumber& numbers);

}  // namespace lockkeeper
