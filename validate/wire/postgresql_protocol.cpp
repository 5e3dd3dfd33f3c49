// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/postgresql_protocol.hpp"

#include <algorithm>
#include <cctype>

#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::uint32_t kSslRequest = 80'877'103;
constexpr std::uint32_t kGssRequest = 80'877'104;
constexpr std::uint32_t kVersion3 = 196'608;
constexpr std::size_t kShownMax = 80;

std::uint32_t number_at(std::string_view text, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        number = number << 8U | static_cast<unsigned char>(text[at + i]);
    }
    return number;
}

// The position behind a message whose length stands at `at`; nothing: it is not whole.
std::optional<std::size_t> end_of_message(std::string_view text, std::size_t at) {
    if (text.size() < at + 4) {
        return std::nullopt;
    }
    const std::size_t length = number_at(text, at);
    if (length < 4 || length > kPostgresqlMessageMax) {
        throw BadBytes("a length out of bounds: " + quoted_piece(text, 40));
    }
    return at + length <= text.size() ? std::optional(at + length) : std::nullopt;
}

// Up to its NUL.
std::string text_at(std::string_view text, std::size_t at) {
    const std::size_t from = std::min(at, text.size());
    return std::string(text.substr(from, text.find('\0', from) - from));
}

std::string one_line(std::string text) {
    for (char& letter : text) {
        letter = letter >= ' ' && letter <= '~' ? letter : ' ';
    }
    return text.size() > kShownMax ? text.substr(0, kShownMax) + "..." : text;
}

std::optional<PostgresqlRequest> read_start(std::string_view text) {
    const auto end = end_of_message(text, 0);
    if (!end || *end < 8) {
        return std::nullopt;
    }
    PostgresqlRequest request;
    request.bytes = *end;
    switch (number_at(text, 4)) {
        case kSslRequest:
        case kGssRequest: request.kind = PostgresqlRequest::Kind::kEncryption; return request;
        case kVersion3: request.kind = PostgresqlRequest::Kind::kStartup; return request;
        default: throw BadBytes("no start-up message of version 3: " + quoted_piece(text, 40));
    }
}

// The first row: its values.
std::string row_text(std::string_view body) {
    std::string out;
    std::size_t at = 2;
    while (at + 4 <= body.size()) {
        const std::uint32_t size = number_at(body, at);
        at += 4;
        if (size == UINT32_MAX) {
            out += out.empty() ? "null" : ", null";
            continue;
        }
        if (at + size > body.size()) {
            break;
        }
        out += (out.empty() ? "" : ", ") + std::string(body.substr(at, size));
        at += size;
    }
    return out;
}

std::string error_text(std::string_view body) {
    std::string code;
    std::string message;
    for (std::size_t at = 0; at < body.size() && body[at] != '\0';) {
        const std::string field = text_at(body, at + 1);
        code = body[at] == 'C' ? field : code;
        message = body[at] == 'M' ? field : message;
        at += field.size() + 2;
    }
    return "(error " + code + " " + message + ")";
}

// "(notification of lk)", "(notification of lk: 7)".
std::string notification_text(std::string_view body) {
    const std::string channel = text_at(body, 4);
    const std::string payload = text_at(body, 5 + channel.size());
    return "(notification of " + channel + (payload.empty() ? "" : ": " + payload) + ")";
}

}  // namespace

bool mentions(std::string_view request, std::string_view word) {
    return std::search(request.begin(), request.end(), word.begin(), word.end(),
                       [](unsigned char letter, unsigned char of_word) {
                           return std::tolower(letter) == of_word;
                       }) != request.end();
}

std::optional<PostgresqlRequest> read_postgresql_request(std::string_view text, bool has_begun) {
    if (!has_begun) {
        return text.size() < 8 ? std::nullopt : read_start(text);
    }
    PostgresqlRequest request;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = end_of_message(text, at + 1);
        if (!end) {
            return std::nullopt;
        }
        const char type = text[at];
        std::string statement;
        if (type == 'Q') {
            statement = text_at(text.substr(0, *end), at + 5);
        } else if (type == 'P') {
            const std::string name = text_at(text.substr(0, *end), at + 5);
            statement = text_at(text.substr(0, *end), at + 6 + name.size());
        } else if (std::string_view("BDECHSXFpdcf").find(type) == std::string_view::npos) {
            throw BadBytes("no message of PostgreSQL: " + quoted_piece(text.substr(at), 40));
        }
        request.text += (request.text.empty() || statement.empty() ? "" : "; ") + statement;
        at = *end;
        request.bytes = at;
        if (type == 'X') {
            request.kind = PostgresqlRequest::Kind::kEnd;
        }
        if (type == 'X' || type == 'Q' || type == 'S') {
            request.text = one_line(request.text.empty() ? "(a prepared statement)" : request.text);
            return request;
        }
    }
    return std::nullopt;
}

KeyFootprint postgresql_footprint(const std::string& statements) {
    std::string first = statements.substr(0, statements.find_first_of(" ;"));
    std::transform(first.begin(), first.end(), first.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    KeyFootprint footprint;
    const bool is_alone = statements.find(';') == std::string::npos;
    footprint.everything = !(is_alone && (first == "BEGIN" || first == "SET" || first == "SHOW"));
    return footprint;
}

std::optional<std::size_t> postgresql_message_length(std::string_view text) {
    return text.empty() ? std::nullopt : end_of_message(text, 1);
}

std::string comparable_postgresql_answer(std::string_view answer) {
    constexpr std::string_view kBefore = "rocess ";
    std::string out;
    for (std::size_t at = 0; at < answer.size();) {
        const auto length = postgresql_message_length(answer.substr(at));
        if (!length) {
            return out.append(answer.substr(at));
        }
        std::string message(answer.substr(at, *length));
        at += *length;
        if (message.front() == 'A' && message.size() >= 9) {
            message.erase(5, 4);  // of the session that has sent it
        }
        if (message.front() == 'E' || message.front() == 'N') {
            message.erase(1, 4);  // its length, which depends on theirs
            for (std::size_t found = message.find(kBefore); found != std::string::npos;
                 found = message.find(kBefore, found + 1)) {
                const std::size_t begin = found + kBefore.size();
                const std::size_t end = message.find_first_not_of("0123456789", begin);
                message.erase(begin, std::min(end, message.size()) - begin);
            }
        }
        out += message;
    }
    return out;
}

std::string shown_postgresql_answer(std::string_view answer) {
    std::string out;
    std::string row;
    for (std::size_t at = 0; at < answer.size();) {
        const auto length = postgresql_message_length(answer.substr(at));
        if (!length) {
            break;
        }
        const std::string_view body = answer.substr(at + 5, *length - 5);
        switch (answer[at]) {
            case 'D': row = row.empty() ? ": " + row_text(body) : row; break;
            case 'C':
                out += (out.empty() ? "" : "; ") + text_at(body, 0) + row;
                row.clear();
                break;
            case 'E': out += (out.empty() ? "" : "; ") + error_text(body); break;
            case 'A': out += (out.empty() ? "" : "; ") + notification_text(body); break;
            default: break;
        }
        at += *length;
    }
    return one_line(out.empty() ? "ready" : out);
}

std::uint64_t postgresql_session(std::string_view answer) {
    for (std::size_t at = 0; at < answer.size();) {
        const auto length = postgresql_message_length(answer.substr(at));
        if (!length) {
            break;
        }
        if (answer[at] == 'K' && *length >= 13) {
            return number_at(answer, at + 5);
        }
        at += *length;
    }
    return 0;
}

}  // namespace lockkeeper::wire
