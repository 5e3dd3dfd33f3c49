// SPDX-License-Identifier: Apache-2.0

// What formats.cpp, serve/ and tests know of pages; html_writer.cpp writes them. The build makes
// page_shell() and explorer_page() (cmake/LockkeeperPage.cmake).
#pragma once

#include <string_view>

namespace lockkeeper {

// How a page begins.
inline constexpr std::string_view kPageMark = "<!-- A report of Lockkeeper. -->";
// The page without a report (reports/web/), with its three markers. Empty: this build has none.
[[nodiscard]] std::string_view page_shell();
// What `lockkeeper serve` sends. Empty: this build has none.
[[nodiscard]] std::string_view explorer_page();
// Empty: this build has both.
[[nodiscard]] std::string_view why_no_pages();

}  // namespace lockkeeper
