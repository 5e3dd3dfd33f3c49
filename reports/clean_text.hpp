// SPDX-License-Identifier: Apache-2.0

// Text from files and programs, for documents whose readers refuse what is no text. Used by the
// writers of XML, Markdown and diagrams.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockkeeper {

// UTF-8 without control characters, line ends apart: a tab is a space, all else is '?'. Bytes that
// are no UTF-8 are U+FFFD.
[[nodiscard]] std::string clean_text(std::string_view text);
// The same on one line: a line end is a space.
[[nodiscard]] std::string clean_line(std::string_view text);

// At most so many bytes, cut between two letters, and "..." where something is left out. `text` is
// UTF-8.
[[nodiscard]] std::string abbreviated(const std::string& text, std::size_t bytes_max);
// The same, and how much is left out.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t bytes_max);
// The same by whole lines. `more`: where the rest can be seen, "see the trace file"; may be empty.
[[nodiscard]] std::string first_lines(std::string text, std::size_t bytes_max,
                                      std::string_view more = "");

}  // namespace lockkeeper
