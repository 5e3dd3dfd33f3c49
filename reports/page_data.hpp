// SPDX-License-Identifier: Apache-2.0

// The content of a page, as the JSON that reports/web/src/data.ts describes. Used by html_writer.
// The page leaves out what is more than a browser can take, and says what.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "reports/texts.hpp"
#include "work/results/details.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// The first screen: what a command came to, in the words of the text report. As data for the
// page's script (reports/web/src/data.ts: Summary), and as HTML for those who have none.
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

// The most that a browser can show.
struct PageHistoryLimits {
    std::size_t operations = 200'000;
    std::size_t order = 20'000;  // of an explanation: its end
};

// A judged history (reports/web/src/data.ts: HistoryDetail).
// `warnings`: what is left out, one sentence each.
[[nodiscard]] nlohmann::ordered_json page_history(const JudgedHistory& judged,
                                                  std::vector<std::string>& warnings,
                                                  const PageHistoryLimits& limits = {});

}  // namespace lockkeeper
