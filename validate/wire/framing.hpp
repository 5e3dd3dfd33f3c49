// SPDX-License-Identifier: Apache-2.0

// Messages of servers that Lockkeeper does not know: where one ends, and how it looks to a person.
// Lines, lengths of 4 bytes (big endian) before the bytes, HTTP/1.1 with Content-Length and
// chunks, and the messages of ZooKeeper and of NATS. Bytes come from outside: everything is
// bounded, and what is no message leaves as BadBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/wire/resp.hpp"
#include "validate/wire/wire_choices.hpp"

namespace lockkeeper::wire {

inline constexpr std::size_t kFramedMessageMax = 16U << 20U;
inline constexpr std::size_t kHttpHeadMax = 64U << 10U;

// How long the request is that the text begins with; nothing: its end has not come yet.
[[nodiscard]] std::optional<std::size_t> framed_request_length(Framing framing,
                                                               std::string_view text);
struct FramedReply {
    std::size_t bytes = 0;
    bool is_last = false;  // the connection ends with it
};
// `request`: what it answers, which says whether a body follows. `is_closed`: no more will come.
// Interim answers of HTTP (100 to 199) belong to the reply behind them.
[[nodiscard]] std::optional<FramedReply> framed_reply(Framing framing, std::string_view text,
                                                      std::string_view request, bool is_closed);

// The fate of a request.
struct FramedRequest {
    bool is_set_up = false;  // nobody else sees anything of it
    std::size_t replies = 1;
};
enum class FramedAnswer : std::uint8_t {
    kReply,
    kPush,     // answers nothing
    kNothing,  // by real time: nobody hears of it
};
// How those talk that end their messages so.
struct FramedTalk {
    bool pushes = false;  // the server sends what answers no request
    bool greets = false;  // and before anybody has asked
    // `inboxes`: the connection's subscriptions for answers, which this adds to.
    FramedRequest (*request)(std::string_view bytes, bool is_first,
                             std::vector<std::string>& inboxes) = nullptr;
    // `is_owed`: a reply is.
    FramedAnswer (*answer)(std::string_view bytes, bool is_owed) = nullptr;
};
[[nodiscard]] const FramedTalk& talk_of(Framing framing);

// The message as it goes over the wire. For HTTP, `message` is "POST /path BODY".
[[nodiscard]] std::string framed(Framing framing, const std::string& message);

// The content of a whole message: the line, the bytes, or method and path, or status, and the body.
[[nodiscard]] std::string essence(Framing framing, std::string_view message);
// The beginning of it, for people.
[[nodiscard]] std::string shown_text(std::string text);
[[nodiscard]] inline std::string shown_framed(Framing framing, std::string_view message) {
    return shown_text(essence(framing, message));
}

}  // namespace lockkeeper::wire
