// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/mariadb_protocol.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::uint32_t kTooLong = 0xFF'FFFF;
constexpr std::size_t kShownLettersMax = 80;

// First bytes of packets of the server.
constexpr unsigned char kOk = 0x00;
constexpr unsigned char kLocalFile = 0xFB;
constexpr unsigned char kEof = 0xFE;
constexpr unsigned char kError = 0xFF;
constexpr std::size_t kEofMax = 9;  // a row that begins so is longer

constexpr std::uint32_t kMoreResults = 0x0008;
constexpr std::uint32_t kCursorExists = 0x0040;

// Capabilities that a greeting offers.
constexpr std::uint32_t kCompression = 1U << 5U;
constexpr std::uint32_t kEncryption = 1U << 11U;
constexpr std::uint32_t kWithoutEof = 1U << 24U;
constexpr std::uint32_t kZstd = 1U << 26U;

struct Command {
    unsigned char number;
    MariadbAnswer answer;
    const char* text;  // ""; the rest of the packet is a statement
    bool is_set_up = false;
};
constexpr std::array<Command, 19> kCommands{{
    {0x01, MariadbAnswer::kNothing, "quit"},
    {0x02, MariadbAnswer::kResults, "use a database"},
    {0x03, MariadbAnswer::kResults, ""},
    {0x04, MariadbAnswer::kColumns, "list columns"},
    {0x08, MariadbAnswer::kOnePacket, "shut down"},
    {0x09, MariadbAnswer::kOnePacket, "statistics"},
    {0x0A, MariadbAnswer::kResults, "list processes"},
    {0x0C, MariadbAnswer::kResults, "kill a session"},
    {0x0D, MariadbAnswer::kOnePacket, "debug"},
    {0x0E, MariadbAnswer::kOnePacket, "ping", true},
    {0x11, MariadbAnswer::kAuthentication, "change the user"},
    {0x16, MariadbAnswer::kPrepared, ""},
    {0x17, MariadbAnswer::kResults, "execute a prepared statement"},
    {0x18, MariadbAnswer::kNothing, "send a parameter", true},
    {0x19, MariadbAnswer::kNothing, "close a prepared statement", true},
    {0x1A, MariadbAnswer::kOnePacket, "reset a prepared statement", true},
    {0x1B, MariadbAnswer::kOnePacket, "set an option", true},
    {0x1C, MariadbAnswer::kRows, "fetch rows"},
    {0x1F, MariadbAnswer::kOnePacket, "reset the connection"},
}};
constexpr unsigned char kQuit = 0x01;
constexpr unsigned char kPrepare = 0x16;

unsigned char byte_at(std::string_view text, std::size_t at) {
    return at < text.size()
               ? static_cast<unsigned char>(text[at])
               : throw BadBytes("a packet that ends too early: " + quoted_piece(text, 40));
}

// `count` bytes, low byte first.
std::uint64_t number_of(std::string_view text, std::size_t at, std::size_t count) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
        number |= std::uint64_t{byte_at(text, at + i)} << (8 * i);
    }
    return number;
}

// A number of 1 to 9 bytes; moves `at` behind it.
std::uint64_t varying_number(std::string_view text, std::size_t& at) {
    const unsigned char first = byte_at(text, at++);
    const std::size_t count = first == 0xFC ? 2 : first == 0xFD ? 3 : first == kEof ? 8 : 0;
    if (count == 0) {
        return first;
    }
    at += count;
    return number_of(text, at - count, count);
}

std::string line_of(std::string_view bytes) {
    std::string text(bytes.substr(0, kShownLettersMax + 1));
    for (char& letter : text) {
        letter = letter >= ' ' && letter <= '~' ? letter : ' ';
    }
    return text.size() > kShownLettersMax ? text.substr(0, kShownLettersMax) + "..." : text;
}

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return text;
}

std::string shown_error(std::string_view payload) {
    const bool has_state = payload.size() > 8 && payload[3] == '#';
    return fmt::format("(error {} {})", number_of(payload, 1, 2),
                       payload.substr(std::min<std::size_t>(payload.size(), has_state ? 9 : 3)));
}

// A row of text: its values.
std::string shown_row(std::string_view payload) {
    std::string out;
    for (std::size_t at = 0; at < payload.size();) {
        out += out.empty() ? "" : ", ";
        if (byte_at(payload, at) == kLocalFile) {
            out += "null";
            ++at;
            continue;
        }
        const std::uint64_t size = varying_number(payload, at);
        if (size > payload.size() - at) {
            break;
        }
        out += payload.substr(at, size);
        at += size;
    }
    return out;
}

}  // namespace

std::optional<std::size_t> mariadb_packet_length(std::string_view text) {
    if (text.size() < kMariadbHeader) {
        return std::nullopt;
    }
    const std::uint64_t length = number_of(text, 0, 3);
    if (length == kTooLong) {
        throw BadBytes("a packet of 16 MiB or more");
    }
    const std::size_t end = kMariadbHeader + length;
    return end <= text.size() ? std::optional(end) : std::nullopt;
}

// Later packets of an authentication count on; each command begins at 0.
MariadbRequest read_mariadb_request(std::string_view packet, bool has_begun) {
    const std::string_view payload = packet.substr(kMariadbHeader);
    if (!has_begun || packet[3] != 0) {
        return {MariadbAnswer::kAuthentication, true, false, "begins"};
    }
    const unsigned char number = byte_at(payload, 0);
    const auto* const command =
        std::find_if(kCommands.begin(), kCommands.end(),
                     [&](const Command& known) { return known.number == number; });
    if (command == kCommands.end()) {
        throw BadBytes("no command of MariaDB: " + quoted_piece(payload, 40));
    }
    MariadbRequest request{command->answer, command->is_set_up, number == kQuit, command->text};
    if (request.text.empty()) {
        request.text = (number == kPrepare ? "prepare: " : "") + line_of(payload.substr(1));
    }
    return request;
}

KeyFootprint mariadb_footprint(const MariadbRequest& request) {
    KeyFootprint footprint;
    const std::string text = upper(request.text);
    const std::string first = text.substr(0, text.find_first_of(" ;"));
    const bool is_whole_and_alone =
        text.find(';') == std::string::npos && text.size() <= kShownLettersMax;
    const bool begins =
        (first == "BEGIN" || first == "START") && text.find("SNAPSHOT") == std::string::npos;
    // AUTOCOMMIT = 1 commits what is under way.
    const bool commits = text.find("AUTOCOMMIT") != std::string::npos && !text.ends_with("= 0") &&
                         !text.ends_with("=0");
    const bool sets = first == "SET" && !commits && text.find("GLOBAL") == std::string::npos &&
                      text.find('(') == std::string::npos;
    footprint.everything = !request.is_set_up && !(is_whole_and_alone && (begins || sets));
    return footprint;
}

void MariadbAnswerEnd::begin(MariadbAnswer answer) {
    answer_ = answer;
    left_ = 0;
    switch (answer) {
        case MariadbAnswer::kResults:
        case MariadbAnswer::kPrepared: at_ = At::kFirst; break;
        case MariadbAnswer::kRows:
        case MariadbAnswer::kColumns: at_ = At::kRows; break;
        case MariadbAnswer::kGreeting:
        case MariadbAnswer::kAuthentication:
        case MariadbAnswer::kOnePacket:
        case MariadbAnswer::kNothing: at_ = At::kLast; break;
    }
}

bool MariadbAnswerEnd::ends_results(std::uint32_t status) {
    at_ = At::kFirst;
    return (status & kMoreResults) == 0;
}

bool MariadbAnswerEnd::take_first(std::string_view payload) {
    if (answer_ == MariadbAnswer::kPrepared) {
        const std::uint64_t columns = number_of(payload, 5, 2);
        const std::uint64_t parameters = number_of(payload, 7, 2);
        left_ = (columns == 0 ? 0 : columns + 1) + (parameters == 0 ? 0 : parameters + 1);
        at_ = At::kCounted;
        return left_ == 0;
    }
    std::size_t at = 1;
    switch (byte_at(payload, 0)) {
        case kOk:
            static_cast<void>(varying_number(payload, at));  // rows
            static_cast<void>(varying_number(payload, at));  // the last number given out
            return ends_results(static_cast<std::uint32_t>(number_of(payload, at, 2)));
        case kLocalFile: throw BadBytes("the server asks for a file of the client");
        default:
            at = 0;
            left_ = varying_number(payload, at);
            at_ = At::kColumns;
            return false;
    }
}

bool MariadbAnswerEnd::take(std::string_view packet) {
    const std::string_view payload = packet.substr(kMariadbHeader);
    const unsigned char first = byte_at(payload, 0);
    const bool is_end = first == kEof && payload.size() < kEofMax;
    if (first == kError && at_ != At::kColumns && at_ != At::kCounted) {
        return true;
    }
    switch (at_) {
        case At::kFirst: return take_first(payload);
        case At::kColumns:
            --left_;
            at_ = left_ == 0 ? At::kEndOfColumns : At::kColumns;
            return false;
        case At::kEndOfColumns: {
            const std::uint64_t status = number_of(payload, 3, 2);
            at_ = At::kRows;
            return (status & kCursorExists) != 0;
        }
        case At::kRows:
            return is_end && (answer_ != MariadbAnswer::kResults ||
                              ends_results(static_cast<std::uint32_t>(number_of(payload, 3, 2))));
        case At::kCounted: return --left_ == 0;
        case At::kLast: break;
    }
    return true;
}

// Where the capabilities are: behind the version, the session's number, 8 bytes of a challenge and
// a zero. Those of MariaDB itself are the last 4 of 10 bytes behind them.
std::string plain_mariadb_greeting(std::string greeting) {
    const std::size_t version_end = greeting.find('\0', kMariadbHeader + 1);
    constexpr std::size_t kToCapabilities = 1 + 4 + 8 + 1;
    if (version_end == std::string::npos || byte_at(greeting, kMariadbHeader) != 10) {
        return greeting;
    }
    const std::size_t low = version_end + kToCapabilities;
    const std::size_t high = low + 2 + 1 + 2;
    const std::size_t own = high + 2 + 1 + 6;
    if (own + 4 > greeting.size()) {
        throw BadBytes("a greeting that ends too early");
    }
    const std::uint32_t hidden = kCompression | kEncryption | kWithoutEof | kZstd;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto mask = static_cast<unsigned char>(~(hidden >> (8 * i)));
        char& byte = greeting[i < 2 ? low + i : high + i - 2];
        byte = static_cast<char>(static_cast<unsigned char>(byte) & mask);
        greeting[own + i] = '\0';
    }
    return greeting;
}

std::uint64_t mariadb_session(std::string_view greeting) {
    const std::size_t version_end = greeting.find('\0', kMariadbHeader + 1);
    return version_end == std::string_view::npos || version_end + 5 > greeting.size()
               ? 0
               : number_of(greeting, version_end + 1, 4);
}

// A row of a prepared statement, which is binary, begins with a zero.
std::string shown_mariadb_answer(std::string_view answer) {
    std::string out;
    std::uint64_t first_row = UINT64_MAX;
    std::uint64_t packets = 0;
    for (std::size_t at = 0; at < answer.size(); ++packets) {
        const auto length = mariadb_packet_length(answer.substr(at));
        if (!length || *length == kMariadbHeader) {
            break;
        }
        const std::string_view payload =
            answer.substr(at + kMariadbHeader, *length - kMariadbHeader);
        at += *length;
        const unsigned char first = byte_at(payload, 0);
        std::size_t begin = packets == 0 && first == kOk ? 1 : 0;
        if (first == kError) {
            out += (out.empty() ? "" : "; ") + shown_error(payload);
        } else if (packets == 0 && first == kOk) {
            out = at == answer.size() ? fmt::format("OK: {} rows", varying_number(payload, begin))
                                      : "prepared";
        } else if (packets == 0) {
            first_row = varying_number(payload, begin) + 2;
        } else if (packets == first_row) {
            const bool is_none = first == kEof && payload.size() < kEofMax;
            out = is_none ? "no rows" : first == kOk ? "a row" : shown_row(payload);
        }
    }
    return line_of(out.empty() ? "an answer" : out);
}

}  // namespace lockkeeper::wire
