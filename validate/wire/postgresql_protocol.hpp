// SPDX-License-Identifier: Apache-2.0

// PostgreSQL's protocol, version 3, as far as a proxy has to know it: where a request and its
// answer end, and what they say. Bytes come from outside: everything is bounded, and what is no
// message leaves as BadBytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "validate/wire/footprint.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {

inline constexpr std::size_t kPostgresqlMessageMax = 16U << 20U;

// The messages of a client up to the point at which it waits for an answer.
struct PostgresqlRequest {
    enum class Kind : std::uint8_t {
        kEncryption,  // asks for SSL or GSS: refused with the letter N
        kStartup,
        kQuery,  // simple, or extended up to Sync
        kEnd,    // says good-bye
    };
    Kind kind = Kind::kQuery;
    std::size_t bytes = 0;  // of the text it was read from
    std::string text;       // its statements, for people
};

// The request that the text begins with; nothing: its end has not come yet. `has_begun`: the
// connection is past its start-up message.
[[nodiscard]] std::optional<PostgresqlRequest> read_postgresql_request(std::string_view text,
                                                                       bool has_begun);
// A statement that only sets up the session commutes with everything; all other SQL with nothing.
[[nodiscard]] KeyFootprint postgresql_footprint(const std::string& statements);

// The word stands in it somewhere, in any letters: "listen", after which a session may be sent
// notifications.
[[nodiscard]] bool mentions(std::string_view request, std::string_view word);

// How long the message is that the text begins with; nothing: its end has not come yet.
[[nodiscard]] std::optional<std::size_t> postgresql_message_length(std::string_view text);
// An answer as it is compared: of its errors ("Process 77 waits for ...") and notifications without
// the numbers of processes, which are others in each run.
[[nodiscard]] std::string comparable_postgresql_answer(std::string_view answer);
// An answer for people: "SELECT 1: t", "(error 55P03 ...)".
[[nodiscard]] std::string shown_postgresql_answer(std::string_view answer);
// The server's number of the session, from the answer to a start-up message; 0: it has none.
[[nodiscard]] std::uint64_t postgresql_session(std::string_view answer);

}  // namespace lockkeeper::wire
