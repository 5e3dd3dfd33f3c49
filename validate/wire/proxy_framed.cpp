// SPDX-License-Identifier: Apache-2.0

// Requests and replies of a server that is not known: whole messages, each with one reply. And what
// comes by TCP, from programs that are not held.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include <xxhash.h>

#include "model/check.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {

// The defaults of servers.
int HeldServer::connect_upstream() { return connect_to(socket_path()); }

void HeldServer::close_upstream(Connection& connection) {
    ::close(std::exchange(connection.upstream, -1));
    closed(connection);
}

void HeldServer::upstream_ended(const Connection& /*connection*/) {}

TcpServer& Proxy::unknown_server(const Connection& connection) const {
    auto* server = dynamic_cast<TcpServer*>(settings_.servers[connection.server]);
    LOCKKEEPER_CHECK(server != nullptr);
    return *server;
}

std::string Proxy::shown(const WireReply& reply) const {
    if (is_database(settings_.kind) && reply.bytes.empty()) {
        return "(the server closes the connection)";
    }
    if (settings_.kind == ServerKind::kFiles) {
        return "goes on";
    }
    if (settings_.kind != ServerKind::kTcp) {
        return shown_of(settings_.kind, reply.bytes);
    }
    const auto* server = dynamic_cast<TcpServer*>(settings_.servers.front());
    LOCKKEEPER_CHECK(server != nullptr);
    return reply.bytes.empty() ? "(the server closes the connection)"
                               : server->shown(reply.kind, reply.bytes);
}

bool Proxy::has_arrived(std::size_t caller) {
    const auto& connections = callers_[caller].connections;
    return !loopback_.is_being_connected(callers_[caller].tcp_port) &&
           std::all_of(connections.begin(), connections.end(), [&](const auto& connection) {
               return !connection->is_tcp || connection->client < 0 ||
                      loopback_.has_arrived(connection->client);
           });
}

void Proxy::parse_framed(Connection& connection) {
    const TcpServer& server = unknown_server(connection);
    std::size_t at = 0;
    const std::string_view text = connection.from_client;
    while (const auto length = framed_request_length(server.framing(), text.substr(at))) {
        if (connection.requests.size() >= kRequestsPendingMax) {
            throw Misbehaved(Misbehaviour::kFlooded,
                             caller_text(connection.caller) + " sent too many requests at once");
        }
        std::string bytes(text.substr(at, *length));
        KeyFootprint everything;
        everything.everything = true;
        const MessageKind is_which =
            connection.has_begun ? MessageKind::kRequest : MessageKind::kFirstRequest;
        std::string shown = server.shown(is_which, bytes);
        const FramedRequest kind =
            talk_of(server.framing()).request(bytes, !connection.has_begun, connection.inboxes);
        connection.has_begun = true;
        connection.requests.push_back({std::move(bytes), std::move(shown), std::move(everything),
                                       kind.replies, kind.is_set_up});
        connection.requests.back().kind = is_which;
        at += *length;
    }
    connection.from_client.erase(0, at);
}

void Proxy::split_framed_replies(Connection& connection) {
    TcpServer& server = unknown_server(connection);
    while (const auto reply = framed_reply(server.framing(), connection.from_server,
                                           connection.asked, connection.has_ended)) {
        std::string message = connection.from_server.substr(0, reply->bytes);
        connection.from_server.erase(0, reply->bytes);
        const FramedAnswer which = talk_of(server.framing()).answer(message, connection.owed > 0);
        if (which == FramedAnswer::kNothing) {
            continue;
        }
        const bool is_push = which == FramedAnswer::kPush;
        add_reply(connection, std::move(message), is_push);
        WireReply& added = connection.replies.back();
        added.kind = connection.has_answered ? MessageKind::kReply : MessageKind::kFirstReply;
        connection.has_answered = true;
        server.take_reply(added.kind, added.bytes, connection.caller);
        connection.owed -= connection.owed > 0 && !is_push ? 1 : 0;
    }
    if (connection.has_ended && !connection.from_server.empty()) {
        throw BadBytes("half a message, and then the end: " +
                       quoted_piece(connection.from_server, 40));
    }
    if (connection.has_ended && connection.owed > 0) {
        add_reply(connection, "", false);  // its end is the reply
        connection.owed = 0;
    }
}

// Behind its last reply a client finds the end of the connection.
void Proxy::end_with_server(Connection& connection) {
    if (connection.has_ended && connection.client >= 0 && connection.to_client.empty()) {
        close(std::exchange(connection.client, -1));
        connection.requests.clear();
        connection.from_client.clear();
    }
}

void Proxy::note_bytes(const Connection& connection, MessageKind kind, std::string_view bytes) {
    std::string steady;
    if (settings_.kind == ServerKind::kTcp) {
        steady = unknown_server(connection).steady(kind, bytes);
        bytes = steady;
    }
    fingerprint_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), fingerprint_);
    if (recorded_ != nullptr) {
        *recorded_ += bytes;
    }
}

}  // namespace lockkeeper::wire
