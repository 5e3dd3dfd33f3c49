// SPDX-License-Identifier: Apache-2.0

// The messages of NATS: lines, of which some are followed by so many bytes. For Proxy. The server
// speaks first, and what it sends answers nothing but PING: what comes of a request is published,
// like everything else. Bytes come from outside: what is no message leaves as BadBytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "validate/wire/framing.hpp"

namespace lockkeeper::wire {

// How long the message is that the text begins with, of either side; nothing: its end has not come
// yet.
[[nodiscard]] std::optional<std::size_t> nats_length(std::string_view text);

// `inboxes`: the numbers of this connection's subscriptions for answers to its own requests, which
// this adds to. The end of another subscription is a choice: those of a queue group share what is
// published, and what ends one of them gives its messages to the others.
[[nodiscard]] FramedRequest nats_request(std::string_view message,
                                         std::vector<std::string>& inboxes);

// The server asks whether the client is there, some seconds after it has come, by real time.
[[nodiscard]] bool is_nats_ping(std::string_view message);
// It answers nothing.
[[nodiscard]] bool is_nats_push(std::string_view message);

}  // namespace lockkeeper::wire
