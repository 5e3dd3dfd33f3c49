// SPDX-License-Identifier: Apache-2.0

// The pages of `man lockkeeper` and `man lockkeeper-VERB`, from the tables of verbs and flags. In
// the macros of man(7), which every man reads. No errors.
#pragma once

#include <string>
#include <string_view>

#include "app/verbs.hpp"

namespace lockkeeper {

// `date`: "2026-11-25", of this version.
[[nodiscard]] std::string man_page(const std::string& date);
[[nodiscard]] std::string man_page_of(const VerbRow& verb, const std::string& date);

// Text as man(7) takes it; every text prints as it is.
namespace roff {

// One word: a flag keeps its hyphens, which could otherwise become typographic ones.
[[nodiscard]] std::string word(std::string_view text);
// Running text, in short lines. What stands between backquotes is bold.
[[nodiscard]] std::string text(std::string_view sentence);
[[nodiscard]] std::string bold(std::string_view text);
[[nodiscard]] std::string italic(std::string_view text);
// A command to be typed, in one line.
[[nodiscard]] std::string example(std::string_view command);

}  // namespace roff
}  // namespace lockkeeper
