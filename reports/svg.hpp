// SPDX-License-Identifier: Apache-2.0

// Writes the SVG that a plot needs: lines, text, marks that can be told apart in print. Used by
// rate_plot. Units: pixels from the upper left corner. No errors; every text is escaped.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockkeeper {

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
