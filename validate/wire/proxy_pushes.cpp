// SPDX-License-Identifier: Apache-2.0

// The messages of servers, in their order on each connection: replies to requests, and pushes that
// somebody else's act has caused. Each goes on when the search chooses it.
#include <sched.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "model/check.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/wire/postgresql_protocol.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/tcp_server.hpp"

namespace lockkeeper::wire {
namespace {

std::uint32_t inbox_of(const Connection& connection) {
    return static_cast<std::uint32_t>(connection.caller * kConnectionsMax + connection.number);
}

}  // namespace

void Proxy::add_reply(Connection& connection, std::string bytes, bool is_push) {
    const bool is_late = is_push || executing_ != &connection;
    if (is_late) {
        touched_.inboxes.push_back(inbox_of(connection));
    }
    if (connection.replies.size() >= kRequestsPendingMax) {
        throw Misbehaved(Misbehaviour::kFlooded,
                         caller_text(connection.caller) + " was sent more than is kept here");
    }
    connection.replies.push_back({std::move(bytes), is_push, is_late});
}

// Whoever has been told of something by it, or waited for something, no longer is.
KeyFootprint Proxy::footprint_of_end(const Connection& connection) const {
    if (settings_.kind == ServerKind::kRedis) {
        KeyFootprint footprint = connection.subscriptions.footprint(connection.server);
        footprint.everything = footprint.everything || connection.owed > 0;
        return footprint;
    }
    KeyFootprint everything;  // a session's locks end with it
    everything.everything = true;
    return everything;
}

bool Proxy::may_be_told(const Connection& connection) const {
    if (connection.upstream < 0) {
        return false;
    }
    if (settings_.kind == ServerKind::kTcp) {
        return unknown_server(connection).pushes() && !connection.has_ended;
    }
    return is_database(settings_.kind) ? sees_listen_ && connection.session != 0
                                       : connection.subscriptions.listen();
}

void Proxy::note_statement(std::string_view request) {
    if (settings_.kind == ServerKind::kPostgresql) {
        sees_listen_ = sees_listen_ || mentions(request, "listen");
        sees_signals_ = sees_signals_ || mentions(request, "pg_terminate_backend") ||
                        mentions(request, "pg_cancel_backend");
    }
}

void Proxy::await_signalled(const Connection& connection) {
    HeldServer& server = *settings_.servers[connection.server];
    AnswerTime time(settings_.answer_seconds);
    while (sees_signals_ && !server.all_rest()) {
        if (time.is_over(server.processes(connection))) {
            throw Misbehaved(Misbehaviour::kHung, "sessions that are to end do not");
        }
        sched_yield();
    }
}

void Proxy::await_rest(const Connection& connection) {
    HeldServer& server = *settings_.servers[connection.server];
    AnswerTime time(settings_.answer_seconds);
    while (!server.rests(connection)) {
        pollfd wait{connection.upstream, POLLIN, 0};
        constexpr timespec kSlice{0, 100'000};
        ppoll(&wait, 1, &kSlice, nullptr);
        if (time.is_over(server.processes(connection))) {
            throw Misbehaved(Misbehaviour::kHung, "the server does not come to rest");
        }
    }
}

// Whoever listens has been told by a server, or a session of it, that has come to rest.
void Proxy::take_pushes() {
    for (const Caller& caller : callers_) {
        for (const auto& connection : caller.connections) {
            if (may_be_told(*connection)) {
                await_rest(*connection);
                take_replies(*connection);
                if (connection->client < 0) {
                    connection->replies.clear();
                }
            }
        }
    }
}

bool Proxy::look_at_others(std::size_t server) {
    std::vector<Connection*> waiting;
    for (const Caller& caller : callers_) {
        for (const auto& connection : caller.connections) {
            if (connection->server == server && connection->upstream >= 0 && connection->owed > 0) {
                waiting.push_back(connection.get());
            }
        }
    }
    // Each is answered, or still waits.
    for (Connection* connection : waiting) {
        const std::size_t owed = std::exchange(connection->owed, 0);
        await(*connection, owed);
    }
    return !waiting.empty();
}

std::string Proxy::deliver(Connection& connection) {
    LOCKKEEPER_CHECK(!connection.replies.empty());
    note_reach(connection.caller, connection.server);
    std::string out;
    const bool is_push = connection.replies.front().is_push;
    do {
        const WireReply reply = std::move(connection.replies.front());
        connection.replies.pop_front();
        note_bytes(connection, reply.kind,
                   settings_.kind == ServerKind::kPostgresql
                       ? comparable_postgresql_answer(reply.bytes)
                       : reply.bytes);
        connection.to_client += reply.bytes;
        out += (out.empty() ? "" : "; ") + shown(reply);
        if (reply.is_late) {
            touched_.inboxes.push_back(inbox_of(connection));
        }
    } while (!is_push && !connection.replies.empty() && !connection.replies.front().is_push);
    flush(connection);
    if (connection.replies.empty()) {
        end_with_server(connection);
    }
    return out;
}

}  // namespace lockkeeper::wire
