// SPDX-License-Identifier: Apache-2.0

// Writes the XML that reports need: escaped text, and elements that cannot be left open. Used by
// the writers of JUnit and SVG.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lockkeeper {

// How every document begins, and a file that may be replaced by another.
inline constexpr std::string_view kXmlMark =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- written by lockkeeper -->\n";

// For text and for attributes in double quotes. What XML does not allow is replaced (clean_text).
[[nodiscard]] std::string xml_escaped(std::string_view text);

using XmlAttributes = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// "<name attribute="..."/>" on a line of its own; of `content`, which is XML, with an end tag.
// Attributes are escaped here; in them a line end is "&#10;".
[[nodiscard]] std::string xml_element(std::string_view name, const XmlAttributes& attributes,
                                      std::string_view content = "");

}  // namespace lockkeeper
