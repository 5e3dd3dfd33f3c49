// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/nats.hpp"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/framing.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::string_view kNatsLineEnd = "\r\n";
constexpr std::size_t kNatsLineMax = 64U << 10U;
constexpr std::string_view kWithBytes[] = {"PUB", "HPUB", "MSG", "HMSG"};
// Where answers to the client's own requests are published.
constexpr std::string_view kInbox = "_INBOX.";

std::string_view first_nats_word(std::string_view line) {
    return line.substr(0, line.find_first_of(" \t\r\n"));
}

bool is_nats_word(std::string_view word, std::string_view name) {
    return word.size() == name.size() && strncasecmp(word.data(), name.data(), name.size()) == 0;
}

bool is_nats(std::string_view message, std::string_view name) {
    return is_nats_word(first_nats_word(message), name);
}

std::vector<std::string_view> words_of_line(std::string_view message) {
    constexpr std::string_view kSpaces = " \t";
    std::string_view line = message.substr(0, message.find(kNatsLineEnd));
    std::vector<std::string_view> words;
    while (line.find_first_not_of(kSpaces) != std::string_view::npos) {
        line.remove_prefix(line.find_first_not_of(kSpaces));
        words.push_back(line.substr(0, line.find_first_of(kSpaces)));
        line.remove_prefix(words.back().size());
    }
    return words;
}

}  // namespace

std::optional<std::size_t> nats_length(std::string_view text) {
    const std::size_t end = text.substr(0, kNatsLineMax).find(kNatsLineEnd);
    if (end == std::string_view::npos) {
        if (text.size() >= kNatsLineMax) {
            throw BadBytes("a line of more than 64 KiB: " + quoted_piece(text, 40));
        }
        return std::nullopt;
    }
    const std::string_view line = text.substr(0, end);
    const std::string_view word = first_nats_word(line);
    std::size_t whole = end + kNatsLineEnd.size();
    if (std::any_of(std::begin(kWithBytes), std::end(kWithBytes),
                    [&](std::string_view name) { return is_nats_word(word, name); })) {
        // Spaces behind the last word are no word of their own.
        const std::string_view filled = line.substr(0, line.find_last_not_of(" \t") + 1);
        const std::string_view number = filled.substr(filled.find_last_of(" \t") + 1);
        std::size_t bytes = 0;
        const auto [stop, error] =
            std::from_chars(number.data(), number.data() + number.size(), bytes);
        if (number.empty() || error != std::errc() || stop != number.data() + number.size() ||
            bytes > kFramedMessageMax) {
            throw BadBytes("a length that is none, or out of bounds: " + quoted_piece(line, 40));
        }
        whole += bytes + kNatsLineEnd.size();
    }
    return text.size() < whole ? std::nullopt : std::optional(whole);
}

FramedRequest nats_request(std::string_view message, std::vector<std::string>& inboxes) {
    if (is_nats(message, "PING")) {
        return {true, 1};
    }
    const std::vector<std::string_view> words = words_of_line(message);
    if (is_nats(message, "SUB") && words.size() == 3 && words[1].starts_with(kInbox)) {
        inboxes.emplace_back(words[2]);
        return {true, 0};
    }
    const bool is_of_inbox = is_nats(message, "UNSUB") && words.size() >= 2 &&
                             std::find(inboxes.begin(), inboxes.end(), words[1]) != inboxes.end();
    return {is_of_inbox || is_nats(message, "CONNECT") || is_nats(message, "PONG"), 0};
}

bool is_nats_ping(std::string_view message) { return is_nats(message, "PING"); }

bool is_nats_push(std::string_view message) {
    return !is_nats(message, "INFO") && !is_nats(message, "PONG");
}

}  // namespace lockkeeper::wire
