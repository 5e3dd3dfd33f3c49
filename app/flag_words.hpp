// Flags whose value is one of a few words: what they are, and what is said of another one. Used by
// the tables of flags (settings.cpp, measure_options.cpp, validate_options.cpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/words.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {

// In the order of the enumeration that they stand for, where there is one.
using Words = std::span<const char* const>;

// The index of the word; the number of words: none of them.
[[nodiscard]] inline std::size_t index_in(Words words, const std::string& text) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), text) - words.begin());
}

// "auto, on or off"
[[nodiscard]] inline std::string either(Words words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text;
}

// `--frontier: expected queue or stack, found "stak"; did you mean "stack"?`. `name`: of the flag
// or the variable; `words`: those that may have been meant.
[[nodiscard]] inline std::string bad_value(const std::string& name, const std::string& expected,
                                           const std::string& found, Words words = {}) {
    return fmt::format("{}: expected {}, found \"{}\"{}", name, expected, printable(found),
                       did_you_mean(found, {words.begin(), words.end()}));
}

// The index of the word, or UsageError.
[[nodiscard]] inline std::size_t word_of(const std::string& flag, Words words,
                                         const std::string& text) {
    const std::size_t index = index_in(words, text);
    if (index == words.size()) {
        throw UsageError(bad_value(flag, either(words), text, words));
    }
    return index;
}

}  // namespace lockkeeper
