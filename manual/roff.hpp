// SPDX-License-Identifier: Apache-2.0

// Text as man(7) takes it. No errors; every text prints as it is.
#pragma once

#include <string>
#include <string_view>

namespace lockkeeper::roff {

// One word: a flag keeps its hyphens, which could otherwise become typographic ones.
[[nodiscard]] std::string word(std::string_view text);
// Running text, in short lines. What stands between backquotes is bold.
[[nodiscard]] std::string text(std::string_view sentence);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string italic(std::string_view text);
// A command to be typed, in one line.
[[nodiscard]] std::string example(std::string_view command);

}  // namespace lockkeeper::roff
