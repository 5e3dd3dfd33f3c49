// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/resp.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kShownWordMax = 48;
constexpr std::size_t kShownElementsMax = 8;

[[noreturn]] void refuse(const char* what, std::string_view text) {
    throw BadBytes(std::string(what) + ": " + quoted_piece(text, 40));
}

// A line without its end, from `at` on, which then is behind it; nothing: not whole.
std::optional<std::string_view> take_line(std::string_view text, std::size_t& at) {
    const std::size_t end = text.find("\r\n", at);
    if (end == std::string_view::npos) {
        if (text.size() - at > kInlineBytesMax) {
            refuse("a line of more than 64 KiB", text.substr(at));
        }
        return std::nullopt;
    }
    const std::string_view line = text.substr(at, end - at);
    at = end + 2;
    return line;
}

std::int64_t number_of(std::string_view text, std::string_view context) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        refuse("a length that is no number", context);
    }
    return number;
}

std::size_t length_of(std::string_view text, std::size_t most, std::string_view context) {
    const std::int64_t number = number_of(text, context);
    if (number < 0 || static_cast<std::uint64_t>(number) > most) {
        refuse("a length out of bounds", context);
    }
    return static_cast<std::size_t>(number);
}

std::optional<RespCommand> read_inline(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
        if (text.size() > kInlineBytesMax) {
            refuse("a line of more than 64 KiB", text);
        }
        return std::nullopt;
    }
    RespCommand command{end + 1, {}};
    std::string_view line = text.substr(0, end);
    const bool is_text = std::all_of(line.begin(), line.end(), [](char letter) {
        return (letter >= ' ' && letter <= '~') || letter == '\r' || letter == '\t';
    });
    if (!is_text) {
        refuse("no command of Redis", text);
    }
    for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos;) {
        const std::size_t stop = std::min(line.find_first_of(" \t\r", at), line.size());
        command.words.emplace_back(line.substr(at, stop - at));
        at = line.find_first_not_of(" \t\r", stop);
    }
    return command;
}

// Behind the value that begins at `at`; nothing: not whole.
std::optional<std::size_t> end_of_value(std::string_view text, std::size_t at, std::size_t depth) {
    if (depth > kReplyDepthMax) {
        refuse("a reply too deep", text);
    }
    const auto line = take_line(text, at);
    if (!line) {
        return std::nullopt;
    }
    const char type = line->empty() ? '\0' : line->front();
    const std::string_view rest = line->empty() ? *line : line->substr(1);
    switch (type) {
        case '+':
        case '-':
        case ':':
        case '_':
        case ',':
        case '#':
        case '(': return at;
        case '$':
        case '=':
        case '!': {
            if (rest == "-1") {
                return at;
            }
            const std::size_t end = at + length_of(rest, kReplyBytesMax, text) + 2;
            return end <= text.size() ? std::optional(end) : std::nullopt;
        }
        case '*':
        case '~':
        case '>':
        case '%':
        case '|': {
            if (rest == "-1") {
                return at;
            }
            const std::size_t values =
                length_of(rest, kReplyBytesMax, text) * (type == '%' || type == '|' ? 2 : 1);
            for (std::size_t i = 0; i < values; ++i) {
                const auto end = end_of_value(text, at, depth + 1);
                if (!end) {
                    return std::nullopt;
                }
                at = *end;
            }
            return type == '|' ? end_of_value(text, at, depth + 1) : std::optional(at);
        }
        default: refuse("no reply of Redis", text);
    }
}

RespValue parse_value(std::string_view text, std::size_t& at) {
    const std::string_view line = *take_line(text, at);
    RespValue value;
    value.type = line.front();
    value.text = std::string(line.substr(1));
    const bool is_bulk = value.type == '$' || value.type == '=' || value.type == '!';
    const bool is_map = value.type == '%' || value.type == '|';
    const bool is_list = is_map || value.type == '*' || value.type == '~' || value.type == '>';
    if (value.type == '_' || ((is_bulk || is_list) && value.text == "-1")) {
        value.is_null = true;
    } else if (is_bulk) {
        const std::size_t size = length_of(value.text, kReplyBytesMax, text);
        value.text = std::string(text.substr(at, size));
        at += size + 2;
    } else if (is_list) {
        const std::size_t count = length_of(value.text, kReplyBytesMax, text) * (is_map ? 2 : 1);
        for (std::size_t i = 0; i < count; ++i) {
            value.elements.push_back(parse_value(text, at));
        }
    }
    return value;
}

std::string shown_word(std::string_view word, std::size_t most = kShownWordMax) {
    std::string out;
    for (const char letter : word.substr(0, most)) {
        const bool is_plain = letter >= ' ' && letter <= '~' && letter != '\\' && letter != '"';
        out += is_plain ? std::string(1, letter)
                        : fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    }
    if (word.size() > most) {
        out += fmt::format("...({} bytes)", word.size());
    }
    const bool is_bare = !word.empty() && out.find_first_of(" \\") == std::string::npos;
    return is_bare ? out : "\"" + out + "\"";
}

std::string shown_value(const RespValue& value) {
    if (value.is_null) {
        return "(nil)";
    }
    const bool is_bulk = value.type == '$' || value.type == '=';
    if (is_bulk) {
        return shown_word(value.text);
    }
    if (value.type == '-' || value.type == '!') {
        return "(error " + shown_word(value.text, 80) + ")";
    }
    if (value.elements.empty() && value.type != '*' && value.type != '~' && value.type != '>' &&
        value.type != '%') {
        return value.text.empty() ? std::string(1, value.type) : shown_word(value.text);
    }
    std::string out;
    for (std::size_t i = 0; i < std::min(value.elements.size(), kShownElementsMax); ++i) {
        out += (i == 0 ? "" : ", ") + shown_value(value.elements[i]);
    }
    return "[" + out + (value.elements.size() > kShownElementsMax ? ", ..." : "") + "]";
}

}  // namespace

std::optional<RespCommand> read_command(std::string_view text) {
    if (text.empty()) {
        return std::nullopt;
    }
    if (text.front() != '*') {
        return read_inline(text);
    }
    std::size_t at = 0;
    const auto head = take_line(text, at);
    if (!head) {
        return std::nullopt;
    }
    RespCommand command;
    const std::size_t count = length_of(head->substr(1), kWordsOfRequestMax, text);
    for (std::size_t i = 0; i < count; ++i) {
        const auto line = take_line(text, at);
        if (!line) {
            return std::nullopt;
        }
        if (line->empty() || line->front() != '$') {
            refuse("a command whose words are no bulk strings", text);
        }
        const std::size_t size = length_of(line->substr(1), kRequestBytesMax, text);
        if (at + size > kRequestBytesMax) {
            refuse("a command of more than 16 MiB", text);
        }
        if (text.size() < at + size + 2) {
            return std::nullopt;
        }
        if (text.substr(at + size, 2) != "\r\n") {
            refuse("a word that is longer than it says", text);
        }
        command.words.emplace_back(text.substr(at, size));
        at += size + 2;
    }
    command.bytes = at;
    return command;
}

std::optional<std::size_t> reply_length(std::string_view text) {
    const auto end = text.empty() ? std::nullopt : end_of_value(text, 0, 0);
    if (end.value_or(text.size()) > kReplyBytesMax) {
        refuse("a reply of more than 16 MiB", text);
    }
    return end;
}

std::string to_resp(const std::vector<std::string>& words) {
    std::string out = fmt::format("*{}\r\n", words.size());
    for (const std::string& word : words) {
        out += fmt::format("${}\r\n", word.size()) + word + "\r\n";
    }
    return out;
}

RespValue parse_reply(std::string_view text) {
    if (!reply_length(text)) {
        refuse("a reply without its end", text);
    }
    std::size_t at = 0;
    return parse_value(text, at);
}

std::string shown_reply(std::string_view reply) { return shown_value(parse_reply(reply)); }

std::string shown_command(const std::vector<std::string>& words) {
    constexpr std::size_t kWordsMax = 12;
    std::string out;
    for (std::size_t i = 0; i < std::min(words.size(), kWordsMax); ++i) {
        out += (i == 0 ? "" : " ") + shown_word(words[i]);
    }
    return out + (words.size() > kWordsMax ? " ..." : "");
}

}  // namespace lockkeeper::wire
