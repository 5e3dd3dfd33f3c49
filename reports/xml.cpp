// SPDX-License-Identifier: Apache-2.0
#include "reports/xml.hpp"

#include <array>

#include <fmt/format.h>

#include "reports/clean_text.hpp"

namespace lockkeeper {
namespace {

constexpr std::array kColors{"#000000", "#1f5fa8", "#b3421b", "#3b7d3b", "#7a4a9c", "#777777"};
constexpr std::array kDashes{"none", "6 3", "2 2", "8 3 2 3"};

const char* color_of(std::size_t number) { return kColors[number % kColors.size()]; }

// A reader takes a line end in an attribute for a space.
std::string attribute_text(std::string_view value) {
    std::string out;
    for (const char character : xml_escaped(value)) {
        out += character == '\n' ? std::string("&#10;") : std::string(1, character);
    }
    return out;
}

}  // namespace

Svg::Svg(double width, double height)
    : out_(std::string(kXmlMark) +
           fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" "
                       "viewBox=\"0 0 {0:g} {1:g}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                       width, height)) {}

void Svg::line(double x1, double y1, double x2, double y2, const char* color, double width) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{:g}\"/>\n",
        x1, y1, x2, y2, color, width);
}

void Svg::text(double x, double y, const std::string& text, Anchor anchor, bool bold) {
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                        kAnchors[static_cast<std::size_t>(anchor)],
                        bold ? " font-weight=\"bold\"" : "", xml_escaped(text));
}

void Svg::mark(double x, double y, std::size_t number) {
    const char* color = color_of(number);
    switch (number % 4) {
        case 0:
            out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y,
                                color);
            return;
        case 1:
            out_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"{}\"/>\n", x - 3.5,
                y - 3.5, color);
            return;
        case 2:
            out_ += fmt::format(
                "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"white\" stroke=\"{}\" "
                "stroke-width=\"1.5\"/>\n",
                x, y, color);
            return;
        default:
            out_ += fmt::format(
                "<rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"7\" height=\"7\" fill=\"white\" "
                "stroke=\"{2}\" stroke-width=\"1.5\"/>\n",
                x - 3.5, y - 3.5, color);
    }
}

void Svg::curve(const std::vector<std::pair<double, double>>& points, std::size_t number) {
    std::string path;
    for (const auto& [x, y] : points) {
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x, y);
    }
    if (points.size() > 1) {
        out_ += fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.3\" "
            "stroke-dasharray=\"{}\"/>\n",
            path, color_of(number), kDashes[number % kDashes.size()]);
    }
}

void Svg::interval(double x, double y1, double y2, std::size_t number) {
    const char* color = color_of(number);
    line(x, y1, x, y2, color, 1.2);
    line(x - 4, y1, x + 4, y1, color, 1.2);
    line(x - 4, y2, x + 4, y2, color, 1.2);
}

void Svg::zero(double x, double y, std::size_t number) {
    out_ += fmt::format(
        "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" fill=\"white\" "
        "stroke=\"{}\"/>\n",
        x - 5, y - 8, x + 5, y - 8, x, y, color_of(number));
}

std::string xml_escaped(std::string_view text) {
    std::string out;
    for (const char character : clean_text(text)) {
        switch (character) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += character;
        }
    }
    return out;
}

std::string xml_element(std::string_view name, const XmlAttributes& attributes,
                        std::string_view content) {
    std::string out = "<" + std::string(name);
    for (const auto& [key, value] : attributes) {
        out += " " + std::string(key) + "=\"" + attribute_text(value) + "\"";
    }
    return content.empty() ? out + "/>\n"
                           : out + ">" + std::string(content) + "</" + std::string(name) + ">\n";
}

}  // namespace lockkeeper
