// SPDX-License-Identifier: Apache-2.0

// Shortens a program's last words on stderr to one line of a message.
#include "validate/outside/misbehaviour.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lockkeeper {
namespace {

// Node adds "    at main (/lock.js:3:1)" and "Node.js v18.1"; all interpreters add "   ^~~".
bool is_added(std::string_view line) {
    return line.starts_with("at ") || line.starts_with("Node.js v") ||
           line.find_first_not_of("^~ %|") == std::string_view::npos;
}

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t begin = line.find_first_not_of(kBlank);
    return begin == std::string_view::npos
               ? ""
               : line.substr(begin, line.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

std::string quoted_piece(std::string_view text, std::size_t most) {
    std::string out = "\"";
    for (const char letter : text.substr(0, most)) {
        out += letter >= ' ' && letter <= '~' ? letter : '?';
    }
    return out + (text.size() > most ? "\"..." : "\"");
}

std::string last_line(const std::string& text) {
    constexpr std::size_t kShownMax = 200;
    const std::size_t end = text.find_last_not_of(" \n\r\t");
    if (end == std::string::npos) {
        return "";
    }
    const std::size_t begin = text.rfind('\n', end) + 1;  // npos + 1: from the beginning
    return quoted_piece(std::string_view(text).substr(begin, end - begin + 1), kShownMax);
}

std::string last_complaint(const std::string& text) {
    constexpr std::size_t kLinesMax = 3;
    constexpr std::size_t kShownMax = 300;
    std::vector<std::string_view> lines;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        if (!is_added(line)) {
            lines.push_back(line);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (lines.empty()) {
        return last_line(text);
    }
    std::string out;
    for (std::size_t i = lines.size() - std::min(lines.size(), kLinesMax); i < lines.size(); ++i) {
        out += (out.empty() ? "" : " / ") + std::string(lines[i]);
    }
    return quoted_piece(out, kShownMax);
}

}  // namespace lockkeeper
