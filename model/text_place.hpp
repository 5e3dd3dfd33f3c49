// SPDX-License-Identifier: Apache-2.0

// Finds the place of a byte in a text, and NUL bytes, which no input may contain. Every reader of
// files and messages uses it: the JSON library takes a NUL byte for the end of its input, and would
// silently leave out the rest of a damaged log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lockkeeper {

// From 1; columns are bytes.
struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
};

// Returns the place of the byte at `offset`; an offset behind the text means its end.
[[nodiscard]] inline TextPlace place_in(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const std::size_t line_end = before.rfind('\n');
    const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
    return {1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')),
            1 + before.size() - line_begin};
}

// Returns a message of the JSON library without its error number and its place, which counts in
// the piece of text that the library was given.
[[nodiscard]] inline std::string without_json_place(const std::string& message) {
    const std::size_t column = message.find(", column ");
    const std::size_t end =
        column == std::string::npos ? message.find("] ") : message.find(": ", column);
    return end == std::string::npos ? message : message.substr(end + 2);
}

inline constexpr const char* kNulComplaint = "a NUL byte";

[[nodiscard]] inline std::optional<TextPlace> nul_in(std::string_view text) {
    const std::size_t offset = text.find('\0');
    return offset == std::string_view::npos ? std::nullopt : std::optional(place_in(text, offset));
}

}  // namespace lockkeeper
