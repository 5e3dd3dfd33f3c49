// What formats.cpp and tests know of pages; html_writer.cpp writes them. The build makes
// page_shell() (cmake/LockkeeperPage.cmake).
#pragma once

#include <string_view>

namespace lockkeeper {

// How a page begins.
inline constexpr std::string_view kPageMark = "<!-- A report of Lockkeeper. -->";
// The page without a report (reports/web/), with its three markers. Empty: this build has none.
[[nodiscard]] std::string_view page_shell();
// Empty: this build has the page.
[[nodiscard]] std::string_view why_no_pages();

}  // namespace lockkeeper
