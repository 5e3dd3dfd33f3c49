// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <fmt/format.h>

#include "manual/man_page.hpp"
#include "scenarios/units.hpp"

namespace lockkeeper::roff {
namespace {

// Each character that man(7) would read as something else.
std::string escaped(std::string_view text, bool keeps_hyphens) {
    std::string out;
    for (const char character : text) {
        switch (character) {
            case '\\': out += "\\e"; break;
            case '\'': out += "\\(aq"; break;
            case '`': out += "\\(ga"; break;
            case '^': out += "\\(ha"; break;
            case '~': out += "\\(ti"; break;
            case '-': out += keeps_hyphens ? "\\-" : "-"; break;
            default: out += character;
        }
    }
    return out;
}

// A line that begins so would be a request.
std::string as_line(const std::string& line) {
    return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

// "`fuzz` first": the word in backquotes is bold, and may be part of several words.
std::string with_bold(std::string_view text, bool& is_bold) {
    std::string out;
    const std::vector<std::string> parts = parts_of(text, '`');
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) {
            is_bold = !is_bold;
            out += is_bold ? "\\fB" : "\\fR";
        }
        out += word(parts[i]);
    }
    return out;
}

}  // namespace

std::string word(std::string_view text) {
    const std::size_t first = text.find_first_not_of("([\"");
    const bool is_flag = first != std::string_view::npos && text[first] == '-';
    return escaped(text, is_flag);
}

std::string text(std::string_view sentence) {
    constexpr std::size_t kWidth = 76;
    std::string out;
    std::string line;
    bool is_bold = false;
    for (const std::string& part : parts_of(sentence, ' ')) {
        const std::string next = with_bold(part, is_bold);
        if (!line.empty() && line.size() + 1 + next.size() > kWidth) {
            out += as_line(line) + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + next;
    }
    return out + as_line(line) + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text, true) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text, true) + "\\fR"; }
std::string example(std::string_view command) { return as_line(escaped(command, true)) + "\n"; }

}  // namespace lockkeeper::roff
