// SPDX-License-Identifier: Apache-2.0

// The first screen of a page: what a command came to, in the words of the text report. As data for
// the page's script (reports/web/src/data.ts: Summary), and as HTML for those who have none. Used
// by page_data and html_writer.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "reports/summary_text.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

struct PageSummary {
    std::string verdict;  // "violated"
    std::string title;    // "violated: P2 leak in 22 steps"
    std::string sentence;
    std::string scope;
    std::optional<std::uint64_t> seed;
    std::string file;
    std::string system;
    std::string about;
    std::string replay;
    std::vector<Fact> facts;
    std::vector<std::string> warnings;
};

[[nodiscard]] PageSummary page_summary(const Results& results);
[[nodiscard]] nlohmann::ordered_json summary_json(const PageSummary& summary);
[[nodiscard]] std::string summary_html(const PageSummary& summary);
// Safe between tags and in attributes.
[[nodiscard]] std::string escaped_html(const std::string& text);

}  // namespace lockkeeper
