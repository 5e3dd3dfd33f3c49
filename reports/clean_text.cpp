// SPDX-License-Identifier: Apache-2.0
#include "reports/clean_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/json.hpp"
#include "work/results/words.hpp"

namespace lockkeeper {
namespace {

std::string valid_utf8(std::string_view text) {
    const bool is_ascii = std::all_of(text.begin(), text.end(), [](char character) {
        return static_cast<unsigned char>(character) < 0x80;
    });
    // The library has a strict decoder of UTF-8, and no other door to it.
    return is_ascii ? std::string(text)
                    : nlohmann::json::parse(
                          nlohmann::json(text).dump(-1, ' ', false,
                                                    nlohmann::json::error_handler_t::replace))
                          .get<std::string>();
}

// The two that no document of XML may have: U+FFFE and U+FFFF.
bool is_no_character(std::string_view letter) {
    return letter == "\xEF\xBF\xBE" || letter == "\xEF\xBF\xBF";
}

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

// The end of what may stay.
std::size_t cut_at(const std::string& text, std::size_t bytes_max) {
    std::size_t end = std::min(text.size(), bytes_max);
    while (end > 0 && end < text.size() && !begins_letter(text[end])) {
        --end;
    }
    return end;
}

}  // namespace

std::string clean_text(std::string_view text) {
    const std::string valid = valid_utf8(text);
    std::string clean;
    clean.reserve(valid.size());
    for (std::size_t at = 0; at < valid.size();) {
        std::size_t end = at + 1;
        while (end < valid.size() && !begins_letter(valid[end])) {
            ++end;
        }
        const std::string_view letter = std::string_view(valid).substr(at, end - at);
        const auto first = static_cast<unsigned char>(letter.front());
        const bool is_control = (first < 0x20 && first != '\n') || first == 0x7F ||
                                (first == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0);
        clean += first == '\t'                           ? " "
                 : is_control || is_no_character(letter) ? std::string_view("?")
                                                         : letter;
        at = end;
    }
    return clean;
}

std::string clean_line(std::string_view text) {
    std::string clean = clean_text(text);
    std::replace(clean.begin(), clean.end(), '\n', ' ');
    return clean;
}

std::string abbreviated(const std::string& text, std::size_t bytes_max) {
    const std::size_t end = cut_at(text, bytes_max);
    return end == text.size() ? text : text.substr(0, end) + "...";
}

std::string shortened(const std::string& text, std::size_t bytes_max) {
    const std::size_t end = cut_at(text, bytes_max);
    return end == text.size()
               ? text
               : text.substr(0, end) +
                     fmt::format(" ... ({} more)", counted(text.size() - end, "byte"));
}

std::string first_lines(std::string text, std::size_t bytes_max, std::string_view more) {
    if (text.size() <= bytes_max) {
        return text;
    }
    const std::size_t line_end = text.rfind('\n', bytes_max);
    const std::size_t end = line_end == std::string::npos ? 0 : line_end + 1;
    const auto lines = static_cast<std::uint64_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n') +
        (text.back() == '\n' ? 0 : 1));
    const std::string rest = fmt::format("... {} left out{}{}\n", counted(lines, "line"),
                                         more.empty() ? "" : ": ", more);
    return text.substr(0, end) + rest;
}

}  // namespace lockkeeper
