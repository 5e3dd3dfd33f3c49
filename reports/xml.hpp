// SPDX-License-Identifier: Apache-2.0

// Writes the XML that reports need: escaped text, and elements that cannot be left open. Used by
// the writers of JUnit, SVG and the page.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// The SVG that a plot needs: lines, text, marks that can be told apart in print. Units: pixels from
// the upper left corner. Every text is escaped.
class Svg {
  public:
    enum class Anchor { kStart, kMiddle, kEnd };

    Svg(double width, double height);

    void line(double x1, double y1, double x2, double y2, const char* color, double width);
    void text(double x, double y, const std::string& text, Anchor anchor, bool bold = false);
    // `number`: of the series. Each has its own mark, and its own dashes for the line.
    void mark(double x, double y, std::size_t number);
    void curve(const std::vector<std::pair<double, double>>& points, std::size_t number);
    void interval(double x, double y1, double y2, std::size_t number);
    // A zero, on the lower edge.
    void zero(double x, double y, std::size_t number);

    [[nodiscard]] std::string finish() const { return out_ + "</svg>\n"; }

  private:
    std::string out_;
};

}  // namespace lockkeeper
