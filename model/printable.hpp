// Text from outside (names, files) in messages and reports.
#pragma once

#include <algorithm>
#include <string>

namespace lockkeeper {

// Control characters and line ends replaced by '?': a name from outside cannot break a report.
[[nodiscard]] inline std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](unsigned char character) { return character < 0x20 || character == 0x7F; }, '?');
    return text;
}

}  // namespace lockkeeper
