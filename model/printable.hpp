// SPDX-License-Identifier: Apache-2.0

// Text from outside (names, files) in messages, reports and lines to be pasted.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace lockkeeper {

// Control characters and line ends replaced by '?': a name from outside cannot break a report.
[[nodiscard]] inline std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](unsigned char character) { return character < 0x20 || character == 0x7F; }, '?');
    return text;
}

// A word that bash reads back as `text`; quoted only where it has to be.
[[nodiscard]] inline std::string shell_quoted(const std::string& text) {
    const auto is_plain = [](unsigned char character) {
        return std::isalnum(character) != 0 ||
               std::string_view("_-./,=+@%").find(static_cast<char>(character)) !=
                   std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
        return text;
    }
    std::string quoted = "'";
    for (const char character : text) {
        quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    return quoted + "'";
}

}  // namespace lockkeeper
