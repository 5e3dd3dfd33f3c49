// SPDX-License-Identifier: Apache-2.0

// Requests and answers of MariaDB. The server speaks first, so a connection begins with a request
// of no bytes, whose answer is the greeting.
#include <utility>

#include "validate/programs/child_process.hpp"
#include "validate/wire/mariadb_protocol.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {

void Proxy::await_greeting(Connection& connection) {
    WireRequest request{"", "connects", {}, 1, true};
    request.mariadb = MariadbAnswer::kGreeting;
    connection.requests.push_back(std::move(request));
}

void Proxy::parse_mariadb(Connection& connection) {
    std::size_t at = 0;
    const std::string_view text = connection.from_client;
    while (!connection.ends) {
        const auto length = mariadb_packet_length(text.substr(at));
        if (!length) {
            break;
        }
        const std::string_view packet = text.substr(at, *length);
        at += *length;
        MariadbRequest request = read_mariadb_request(packet, connection.has_begun);
        connection.has_begun = true;
        if (request.is_end) {
            connection.ends = true;  // it closes its end next
            break;
        }
        if (connection.requests.size() >= kRequestsPendingMax) {
            throw Misbehaved(Misbehaviour::kFlooded,
                             caller_text(connection.caller) + " sent too many requests at once");
        }
        KeyFootprint footprint = mariadb_footprint(request);
        const std::size_t replies = request.answer == MariadbAnswer::kNothing ? 0 : 1;
        connection.requests.push_back({std::string(packet), std::move(request.text),
                                       std::move(footprint), replies, request.is_set_up});
        connection.requests.back().mariadb = request.answer;
    }
    connection.from_client.erase(0, at);
}

// What comes while no answer is due says that the server ends the session.
void Proxy::split_mariadb_replies(Connection& connection) {
    std::size_t at = 0;
    while (const auto length =
               mariadb_packet_length(std::string_view(connection.from_server).substr(at))) {
        std::string packet = connection.from_server.substr(at, *length);
        at += *length;
        const bool is_answer = connection.owed > 0;
        const bool is_greeting = is_answer && connection.session == 0;
        if (is_greeting) {
            packet = plain_mariadb_greeting(std::move(packet));
            connection.session = mariadb_session(packet);
        }
        const bool is_last = !is_answer || connection.answer_end.take(packet);
        connection.answer += packet;
        if (connection.answer.size() > kReplyBytesMax) {
            throw BadBytes("an answer of more than 16 MiB");
        }
        if (is_last) {
            add_reply(connection, std::exchange(connection.answer, {}), !is_answer);
            connection.owed -= is_answer ? 1 : 0;
        }
    }
    connection.from_server.erase(0, at);
    if (connection.has_ended && connection.owed > 0) {
        add_reply(connection, "", false);  // its end is the reply
        connection.owed = 0;
    }
}

}  // namespace lockkeeper::wire
