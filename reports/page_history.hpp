// A judged history as the page has it (reports/web/src/data.ts: HistoryDetail). Used by page_data.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "reports/details.hpp"

namespace lockkeeper {

inline constexpr std::size_t kPageOperationsMax = 200'000;
inline constexpr std::size_t kPageOrderMax = 20'000;  // of an explanation: its end

// `warnings`: what is left out, one sentence each.
[[nodiscard]] nlohmann::ordered_json page_history(const JudgedHistory& judged,
                                                  std::vector<std::string>& warnings);

}  // namespace lockkeeper
