// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/framing.hpp"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"
#include "validate/wire/nats.hpp"
#include "validate/wire/zookeeper.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::string_view kHttpLineEnd = "\r\n";
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kFramedShownMax = 400;

[[noreturn]] void refuse_message(const std::string& why, std::string_view text) {
    throw BadBytes(why + ": " + quoted_piece(text, 40));
}

std::optional<std::size_t> line_length(std::string_view text) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
        if (text.size() > kFramedMessageMax) {
            refuse_message("a line of more than 16 MiB", text);
        }
        return std::nullopt;
    }
    return end + 1;
}

std::optional<std::size_t> prefixed_length(std::string_view text) {
    if (text.size() < kLengthBytes) {
        return std::nullopt;
    }
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
        length = length << 8U | static_cast<unsigned char>(text[i]);
    }
    if (length > kFramedMessageMax) {
        refuse_message(fmt::format("a length of {} bytes, which is out of bounds", length), text);
    }
    return text.size() < kLengthBytes + length ? std::nullopt
                                               : std::optional(kLengthBytes + length);
}

// A number without anything around it, at most the bound of a message.
std::size_t http_size(std::string_view text, int base) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
        size > kFramedMessageMax) {
        refuse_message("a length that is none, or out of bounds", text);
    }
    return size;
}

std::string_view trimmed(std::string_view text) {
    const auto is_space = [](char letter) { return letter == ' ' || letter == '\t'; };
    while (!text.empty() && is_space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

bool equals(std::string_view left, std::string_view right) {
    return left.size() == right.size() && strncasecmp(left.data(), right.data(), left.size()) == 0;
}

struct HttpHead {
    std::string_view first;
    std::size_t bytes = 0;
    std::optional<std::size_t> length;
    bool is_chunked = false;
    bool closes = false;
};

void take_header(std::string_view line, HttpHead& head) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
        refuse_message("a header without a name", line);
    }
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (equals(name, "Content-Length")) {
        const std::size_t length = http_size(value, 10);
        if (head.length && *head.length != length) {
            refuse_message("two lengths", line);
        }
        head.length = length;
    } else if (equals(name, "Transfer-Encoding")) {
        if (!equals(value, "chunked")) {
            refuse_message("a transfer encoding that is not known here", line);
        }
        head.is_chunked = true;
    } else if (equals(name, "Connection")) {
        head.closes = head.closes || equals(value, "close");
    }
}

std::optional<HttpHead> read_head(std::string_view text) {
    const std::size_t end = text.substr(0, kHttpHeadMax).find("\r\n\r\n");
    if (end == std::string_view::npos) {
        if (text.size() >= kHttpHeadMax) {
            refuse_message("headers of more than 64 KiB", text);
        }
        return std::nullopt;
    }
    HttpHead head;
    head.bytes = end + 4;
    std::size_t at = text.find(kHttpLineEnd);
    head.first = text.substr(0, at);
    while (at < end) {
        const std::size_t begin = at + kHttpLineEnd.size();
        at = text.find(kHttpLineEnd, begin);
        take_header(text.substr(begin, at - begin), head);
    }
    if (head.is_chunked && head.length) {
        refuse_message("a length and chunks", head.first);
    }
    return head;
}

// The length of all chunks and the trailer behind the last one.
std::optional<std::size_t> chunks_length(std::string_view text) {
    std::size_t at = 0;
    for (;;) {
        const std::size_t end = text.find(kHttpLineEnd, at);
        if (end == std::string_view::npos) {
            if (text.size() - at > kHttpHeadMax) {
                refuse_message("a chunk without a length", text.substr(at));
            }
            return std::nullopt;
        }
        const std::string_view line = text.substr(at, end - at);
        const std::size_t size = http_size(trimmed(line.substr(0, line.find(';'))), 16);
        at = end + kHttpLineEnd.size();
        if (at + size > kFramedMessageMax) {
            refuse_message("chunks of more than 16 MiB", line);
        }
        if (size > 0) {
            if (text.size() < at + size + kHttpLineEnd.size()) {
                return std::nullopt;
            }
            if (text.substr(at + size, kHttpLineEnd.size()) != kHttpLineEnd) {
                refuse_message("a chunk that is longer than its length", line);
            }
            at += size + kHttpLineEnd.size();
            continue;
        }
        // Trailers, up to an empty line.
        for (;;) {
            const std::size_t stop = text.find(kHttpLineEnd, at);
            if (stop == std::string_view::npos) {
                if (text.size() - at > kHttpHeadMax) {
                    refuse_message("trailers of more than 64 KiB", text.substr(at));
                }
                return std::nullopt;
            }
            const bool is_empty = stop == at;
            at = stop + kHttpLineEnd.size();
            if (is_empty) {
                return at;
            }
        }
    }
}

std::optional<std::size_t> body_length(const HttpHead& head, std::string_view text) {
    if (head.is_chunked) {
        const auto length = chunks_length(text.substr(head.bytes));
        return length ? std::optional(head.bytes + *length) : std::nullopt;
    }
    const std::size_t whole = head.bytes + head.length.value_or(0);
    return text.size() < whole ? std::nullopt : std::optional(whole);
}

void check_beginning(std::string_view text, std::string_view expected) {
    const std::string_view known = text.substr(0, expected.size());
    if (known != expected.substr(0, known.size())) {
        refuse_message("no answer in HTTP/1", text);
    }
}

std::optional<std::size_t> http_request_length(std::string_view text) {
    const auto is_letter = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
    const std::size_t method = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_letter) - text.begin());
    if (method > 16 || (method < text.size() && (method == 0 || text[method] != ' '))) {
        refuse_message("no request in HTTP/1", text);
    }
    const auto head = read_head(text);
    if (!head) {
        return std::nullopt;
    }
    if (head->first.find(" HTTP/1.") == std::string_view::npos) {
        refuse_message("no request in HTTP/1", text);
    }
    return body_length(*head, text);
}

std::optional<FramedReply> http_reply(std::string_view text, std::string_view request,
                                      bool is_closed) {
    check_beginning(text, "HTTP/1.");
    const auto head = read_head(text);
    if (!head) {
        return std::nullopt;
    }
    const std::size_t space = head->first.find(' ');
    const std::string_view status =
        space == std::string_view::npos ? "" : head->first.substr(space + 1, 3);
    if (status.size() != 3 || status[0] < '1' || status[0] > '5') {
        refuse_message("an answer without a status", head->first);
    }
    if (status == "101") {
        refuse_message("a change of the protocol", head->first);
    }
    if (status[0] == '1') {
        auto rest = http_reply(text.substr(head->bytes), request, is_closed);
        if (rest) {
            rest->bytes += head->bytes;
        }
        return rest;
    }
    if (request.starts_with("HEAD ") || status == "204" || status == "304") {
        return FramedReply{head->bytes, head->closes};
    }
    if (!head->is_chunked && !head->length) {
        // It ends with the connection.
        return is_closed ? std::optional(FramedReply{text.size(), true}) : std::nullopt;
    }
    const auto length = body_length(*head, text);
    return length ? std::optional(FramedReply{*length, head->closes}) : std::nullopt;
}

// The content of the chunks.
std::string unchunked(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find(kHttpLineEnd, at);
        const std::string_view line = text.substr(at, end - at);
        const std::size_t size = http_size(trimmed(line.substr(0, line.find(';'))), 16);
        if (size == 0) {
            break;
        }
        out += text.substr(end + kHttpLineEnd.size(), size);
        at = end + size + 2 * kHttpLineEnd.size();
    }
    return out;
}

std::string http_essence(std::string_view message) {
    auto head = read_head(message);
    while (head && head->first.find(" 1") == head->first.find(' ') &&
           head->first.starts_with("HTTP/")) {
        message.remove_prefix(head->bytes);
        head = read_head(message);
    }
    if (!head) {
        return std::string(message);
    }
    const std::string_view raw = message.substr(head->bytes);
    std::string body = head->is_chunked ? unchunked(raw) : std::string(raw);
    while (!body.empty() && (body.back() == '\n' || body.back() == '\r')) {
        body.pop_back();
    }
    std::string_view first = head->first;
    first = first.starts_with("HTTP/") ? first.substr(first.find(' ') + 1)
                                       : first.substr(0, first.rfind(" HTTP/"));
    return std::string(first) + (body.empty() ? "" : " " + body);
}

using Inboxes = std::vector<std::string>;

constexpr FramedTalk kAsked{false, false,
                            [](std::string_view, bool, Inboxes&) { return FramedRequest{}; },
                            [](std::string_view, bool) { return FramedAnswer::kReply; }};

// Sessions begin with the first message of a connection.
constexpr FramedTalk kOfZookeeper{true, false,
                                  [](std::string_view, bool is_first, Inboxes&) {
                                      return FramedRequest{is_first, 1};
                                  },
                                  [](std::string_view bytes, bool) {
                                      return is_zookeeper_event(bytes) ? FramedAnswer::kPush
                                                                       : FramedAnswer::kReply;
                                  }};

// The server asks more than once whether the client is there, before it gives up.
constexpr FramedTalk kOfNats{
    true, true,
    [](std::string_view bytes, bool, Inboxes& inboxes) { return nats_request(bytes, inboxes); },
    [](std::string_view bytes, bool is_owed) {
        return is_nats_ping(bytes)               ? FramedAnswer::kNothing
               : is_nats_push(bytes) || !is_owed ? FramedAnswer::kPush
                                                 : FramedAnswer::kReply;
    }};

}  // namespace

const FramedTalk& talk_of(Framing framing) {
    switch (framing) {
        case Framing::kZookeeper: return kOfZookeeper;
        case Framing::kNats: return kOfNats;
        case Framing::kNewline:
        case Framing::kLength:
        case Framing::kHttp: break;
    }
    return kAsked;
}

std::optional<std::size_t> framed_request_length(Framing framing, std::string_view text) {
    if (text.empty()) {
        return std::nullopt;
    }
    switch (framing) {
        case Framing::kNewline: return line_length(text);
        case Framing::kLength:
        case Framing::kZookeeper: return prefixed_length(text);
        case Framing::kNats: return nats_length(text);
        case Framing::kHttp: return http_request_length(text);
    }
    return std::nullopt;
}

std::optional<FramedReply> framed_reply(Framing framing, std::string_view text,
                                        std::string_view request, bool is_closed) {
    if (text.empty()) {
        return std::nullopt;
    }
    if (framing == Framing::kHttp) {
        return http_reply(text, request, is_closed);
    }
    const auto length = framed_request_length(framing, text);
    return length ? std::optional(FramedReply{*length, false}) : std::nullopt;
}

std::string framed(Framing framing, const std::string& message) {
    if (framing == Framing::kNats) {
        return message + "\r\n";
    }
    if (framing == Framing::kNewline) {
        return message + "\n";
    }
    if (framing == Framing::kLength || framing == Framing::kZookeeper) {
        std::string out;
        for (const unsigned shift : {24U, 16U, 8U, 0U}) {
            out += static_cast<char>(message.size() >> shift & 0xFFU);
        }
        return out + message;
    }
    const std::size_t method = message.find(' ');
    const std::size_t path =
        method == std::string::npos ? message.size() : message.find(' ', method + 1);
    const std::string body = path >= message.size() ? "" : message.substr(path + 1);
    return fmt::format(
        "{} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n\r\n{}",
        message.substr(0, path), body.size(), body);
}

std::string essence(Framing framing, std::string_view message) {
    if (framing == Framing::kHttp) {
        return http_essence(message);
    }
    const bool is_prefixed = framing == Framing::kLength || framing == Framing::kZookeeper;
    std::string text(is_prefixed && message.size() >= kLengthBytes ? message.substr(kLengthBytes)
                                                                   : message);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
        text.pop_back();
    }
    return text;
}

std::string shown_text(std::string text) {
    if (text.size() > kFramedShownMax) {
        text = text.substr(0, kFramedShownMax) + "...";
    }
    std::replace_if(
        text.begin(), text.end(), [](char letter) { return letter < ' ' || letter > '~'; }, '?');
    return text;
}

}  // namespace lockkeeper::wire
