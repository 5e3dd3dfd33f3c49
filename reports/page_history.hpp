// SPDX-License-Identifier: Apache-2.0

// A judged history as the page has it (reports/web/src/data.ts: HistoryDetail). Used by page_data.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "work/results/details.hpp"

namespace lockkeeper {

// The most that a browser can show.
struct PageHistoryLimits {
    std::size_t operations = 200'000;
    std::size_t order = 20'000;  // of an explanation: its end
};

// `warnings`: what is left out, one sentence each.
[[nodiscard]] nlohmann::ordered_json page_history(const JudgedHistory& judged,
                                                  std::vector<std::string>& warnings,
                                                  const PageHistoryLimits& limits = {});

}  // namespace lockkeeper
