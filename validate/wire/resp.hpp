// SPDX-License-Identifier: Apache-2.0

// Redis's protocol, RESP2 and RESP3, as far as a proxy has to know it: where a command and where a
// reply end, and what a command's words are. Bytes come from outside: everything is bounded, and
// what is no RESP leaves as BadBytes.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper::wire {

inline constexpr std::size_t kRequestBytesMax = 16U << 20U;
inline constexpr std::size_t kReplyBytesMax = 16U << 20U;
inline constexpr std::size_t kInlineBytesMax = 64U << 10U;
inline constexpr std::size_t kWordsOfRequestMax = 64U << 10U;
inline constexpr std::size_t kReplyDepthMax = 32;

// `what()`: what is wrong with them, and how they begin.
class BadBytes : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct RespCommand {
    std::size_t bytes = 0;  // of the text it was read from
    std::vector<std::string> words;
};

// The command that the text begins with; nothing: its end has not come yet. Empty lines are passed
// over, as the server does, and are a command without words.
[[nodiscard]] std::optional<RespCommand> read_command(std::string_view text);

// How long the reply is that the text begins with; nothing: its end has not come yet.
[[nodiscard]] std::optional<std::size_t> reply_length(std::string_view text);

// The command as it goes over the wire.
[[nodiscard]] std::string to_resp(const std::vector<std::string>& words);

// A reply that has come whole. Only what is asked of the server by the harness itself.
struct RespValue {
    char type = '_';
    std::string text;  // a line, a number, a bulk string
    std::vector<RespValue> elements;
    bool is_null = false;
};
[[nodiscard]] RespValue parse_reply(std::string_view text);

// A reply, or a word of a command, for a person: "(nil)", "OK", "[1, \"a\"]".
[[nodiscard]] std::string shown_reply(std::string_view reply);
[[nodiscard]] std::string shown_command(const std::vector<std::string>& words);

}  // namespace lockkeeper::wire
