// SPDX-License-Identifier: Apache-2.0

// The protocol of MariaDB (and MySQL), as far as a proxy has to know it: packets, which of them are
// a request, where its answer ends, and what both say. Used by Proxy. Bytes come from outside:
// everything is bounded, and what is no packet leaves as BadBytes.
//
// A packet is its length (3 bytes, low byte first), a number that counts from the last request on
// (1 byte), and the payload. Packets of 16 MiB or more, which go on in the next one, are refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "validate/wire/footprint.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {

inline constexpr std::size_t kMariadbHeader = 4;

// How long the packet is that the text begins with, header and all; nothing: its end has not come.
[[nodiscard]] std::optional<std::size_t> mariadb_packet_length(std::string_view text);

// The packets of an answer.
enum class MariadbAnswer : std::uint8_t {
    kGreeting,        // one packet, which the server sends unasked
    kAuthentication,  // one packet; the client may have to say more
    kResults,         // OK, an error, or columns and rows; several of these
    kPrepared,        // the number of a prepared statement, its parameters and columns
    kRows,            // of a cursor
    kColumns,         // of a table
    kOnePacket,
    kNothing,
};

struct MariadbRequest {
    MariadbAnswer answer = MariadbAnswer::kResults;
    bool is_set_up = false;  // changes nothing, and is told nothing that others change
    bool is_end = false;     // says good-bye
    std::string text;        // for people
};
// `packet`: whole. `has_begun`: the client has sent one before on this connection.
[[nodiscard]] MariadbRequest read_mariadb_request(std::string_view packet, bool has_begun);
// A statement that only sets up the session commutes with everything; all other SQL with nothing.
[[nodiscard]] KeyFootprint mariadb_footprint(const MariadbRequest& request);

// Finds the last packet of an answer.
class MariadbAnswerEnd {
  public:
    void begin(MariadbAnswer answer);
    // The next packet of the answer. True: the answer ends with it.
    [[nodiscard]] bool take(std::string_view packet);

  private:
    enum class At : std::uint8_t { kFirst, kColumns, kEndOfColumns, kRows, kCounted, kLast };
    [[nodiscard]] bool take_first(std::string_view payload);
    [[nodiscard]] bool ends_results(std::uint32_t status);

    MariadbAnswer answer_ = MariadbAnswer::kResults;
    At at_ = At::kFirst;
    std::uint64_t left_ = 0;  // packets
};

// The greeting without what the proxy does not read: compression, encryption, answers without
// the packets that end their parts, and MariaDB's own extensions.
[[nodiscard]] std::string plain_mariadb_greeting(std::string greeting);
// The server's number of the session, from its greeting; 0: it has none.
[[nodiscard]] std::uint64_t mariadb_session(std::string_view greeting);
// An answer for people: "OK: 1 row", "1", "(error 1213 Deadlock found ...)".
[[nodiscard]] std::string shown_mariadb_answer(std::string_view answer);

}  // namespace lockkeeper::wire
