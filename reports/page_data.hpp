// SPDX-License-Identifier: Apache-2.0

// The content of a page, as the JSON that reports/web/src/data.ts describes. Used by html_writer.
// The page leaves out what is more than a browser can take, and says what.
#pragma once

#include "model/json.hpp"
#include "reports/page_summary.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

inline constexpr int kPageVersion = 1;

struct PageLimits {
    std::size_t run_steps = 100'000;  // of one run
    std::size_t all_steps = 300'000;
    std::size_t text_bytes = 200'000;  // of the text report
};

struct PageContent {
    PageSummary summary;
    nlohmann::ordered_json data;
};
// `text`: the report as the terminal shows it.
[[nodiscard]] PageContent page_content(const Results& results, const std::string& text,
                                       const PageLimits& limits = {});

}  // namespace lockkeeper
