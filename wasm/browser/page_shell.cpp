// SPDX-License-Identifier: Apache-2.0

// In a page, a report as a page is its parts alone; the last line is its document, which
// reports/web/src/read.ts reads.
#include "reports/writer.hpp"

namespace lockkeeper {

std::string_view page_shell() {
    return "<!--lockkeeper:title-->\n<!--lockkeeper:summary-->\n<!--lockkeeper:data-->";
}

std::string_view explorer_page() { return "the page that asks has it"; }

}  // namespace lockkeeper
