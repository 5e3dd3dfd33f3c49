// SPDX-License-Identifier: Apache-2.0

// The interface of pages for formats.cpp, serve/ and tests; html_writer.cpp writes pages. The build
// makes page_shell() and explorer_page() (cmake/LockkeeperPage.cmake).
#pragma once

#include <string_view>

namespace lockkeeper {

// How a page begins.
inline constexpr std::string_view kPageMark = "<!-- A report of Lockkeeper. -->";
// The page without a report (reports/web/), with its three markers. Empty: this build has none.
[[nodiscard]] std::string_view page_shell();
// The page that `lockkeeper serve` sends. Empty: this build has none.
[[nodiscard]] std::string_view explorer_page();
// Empty: this build has both.
[[nodiscard]] std::string_view why_no_pages();

}  // namespace lockkeeper
