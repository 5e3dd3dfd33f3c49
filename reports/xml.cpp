// SPDX-License-Identifier: Apache-2.0
#include "reports/xml.hpp"

#include "reports/clean_text.hpp"

namespace lockkeeper {
namespace {

// A reader takes a line end in an attribute for a space.
std::string attribute_text(std::string_view value) {
    std::string out;
    for (const char character : xml_escaped(value)) {
        out += character == '\n' ? std::string("&#10;") : std::string(1, character);
    }
    return out;
}

}  // namespace

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
