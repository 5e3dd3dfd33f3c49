// SPDX-License-Identifier: Apache-2.0

// How the bytes of a caller become requests, and which of them pass without a choice.
#include <strings.h>

#include <utility>

#include <fmt/format.h>

#include "validate/programs/child_process.hpp"
#include "validate/wire/postgresql_protocol.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {

void Proxy::parse(Connection& connection) {
    switch (settings_.kind) {
        case ServerKind::kRedis: parse_redis(connection); break;
        case ServerKind::kPostgresql: parse_postgresql(connection); break;
        case ServerKind::kMariadb: parse_mariadb(connection); break;
        case ServerKind::kTcp: parse_framed(connection); break;
        case ServerKind::kFiles: parse_files(connection); break;
    }
}

void Proxy::parse_redis(Connection& connection) {
    if (connection.has_ended) {
        connection.from_client.clear();
        return;
    }
    std::size_t at = 0;
    const std::string_view text = connection.from_client;
    while (auto command = read_command(text.substr(at))) {
        if (!command->words.empty()) {
            take_command(connection, std::move(command->words),
                         std::string(text.substr(at, command->bytes)));
        }
        at += command->bytes;
    }
    connection.from_client.erase(0, at);
    end_transaction(connection);
}

void Proxy::take_command(Connection& connection, std::vector<std::string> words,
                         std::string bytes) {
    if (connection.requests.size() >= kRequestsPendingMax) {
        throw Misbehaved(Misbehaviour::kFlooded,
                         fmt::format("{} sent more than {} requests without reading an answer",
                                     caller_text(connection.caller), kRequestsPendingMax));
    }
    const RedisCommand command = redis_command(words, connection.server);
    const bool loads = words.size() == 3 && strcasecmp(words[0].c_str(), "SCRIPT") == 0 &&
                       strcasecmp(words[1].c_str(), "LOAD") == 0;
    if (loads || (words.size() > 2 && strcasecmp(words[0].c_str(), "EVAL") == 0)) {
        settings_.on_script(connection.server, words[loads ? 2 : 1]);
    }
    settings_.servers[connection.server]->sees(words);
    connection.requests.push_back(
        {std::move(bytes), shown_command(without_connection(words)), command.footprint, 1,
         command.is_set_up && !(holds_scripts_ && command.is_about_scripts), words});
    connection.transaction.push_back(std::move(words));
}

// Those of the transaction from `from` to `to`.
void Proxy::queue_channels(Connection& connection, std::size_t from, std::size_t to) {
    const auto& words = connection.transaction;
    for (std::size_t i = from; i <= to && i < words.size(); ++i) {
        if (is_about_channels(words[i])) {
            connection.subscriptions.queue();
        }
    }
}

// Turns the commands from a MULTI to its EXEC into one request.
void Proxy::end_transaction(Connection& connection) {
    auto& words = connection.transaction;
    auto& requests = connection.requests;
    const std::size_t before = requests.size() - words.size();
    const auto is = [&](std::size_t i, const char* name) {
        return strcasecmp(words[i].front().c_str(), name) == 0;
    };
    std::deque<WireRequest> grouped(requests.begin(),
                                    requests.begin() + static_cast<std::ptrdiff_t>(before));
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::size_t end = i;
        while (is(i, "MULTI") && end < words.size() && !is(end, "EXEC") && !is(end, "DISCARD")) {
            ++end;
        }
        WireRequest request = std::move(requests[before + i]);
        if (connection.in_transaction || end > i) {
            queue_channels(connection, i, end);
            request.words.clear();  // one answer each
        }
        if (is(i, "WATCH")) {
            connection.watched += request.footprint;
        }
        request.is_set_up = request.is_set_up && !connection.in_transaction;
        if (end < words.size() && end > i) {
            for (std::size_t next = i + 1; next <= end; ++next) {
                request.bytes += requests[before + next].bytes;
                request.text += "; " + requests[before + next].text;
                if (next < end) {
                    request.footprint += requests[before + next].footprint;
                }
                ++request.replies;
            }
            i = end;
            request.footprint += std::exchange(connection.watched, {});
        } else if (is(i, "MULTI")) {
            connection.in_transaction = true;
            connection.queued = {};
        } else if (connection.in_transaction) {
            const bool ends = is(i, "EXEC") || is(i, "DISCARD");
            connection.queued += ends ? KeyFootprint{} : request.footprint;
            request.footprint = is(i, "EXEC") ? connection.queued : KeyFootprint{};
            if (ends) {
                request.footprint += std::exchange(connection.watched, {});
            }
            connection.in_transaction = !ends;
        }
        grouped.push_back(std::move(request));
    }
    requests = std::move(grouped);
    words.clear();
}

bool Proxy::pass_set_up(Connection& connection) {
    bool moved = false;
    while (!connection.requests.empty() && connection.owed == 0 && connection.replies.empty() &&
           !connection.in_transaction) {
        if (!connection.requests.front().is_set_up) {
            break;
        }
        // The number of a connection is another one in each run.
        const std::uint64_t before = fingerprint_;
        std::string* const recorded = std::exchange(recorded_, nullptr);
        execute(connection);
        if (!connection.replies.empty()) {
            static_cast<void>(deliver(connection));
        }
        fingerprint_ = before;
        recorded_ = recorded;
        moved = true;
    }
    return moved;
}

void Proxy::split_redis_replies(Connection& connection) {
    std::size_t at = 0;
    while (const auto length = reply_length(std::string_view(connection.from_server).substr(at))) {
        std::string message = connection.from_server.substr(at, *length);
        at += *length;
        const bool is_push = connection.subscriptions.take(message, connection.owed > 0);
        if (!is_push && connection.owed > 0) {
            connection.owed = connection.subscriptions.refused(message) ? 0 : connection.owed - 1;
        }
        add_reply(connection, std::move(message), is_push);
    }
    connection.from_server.erase(0, at);
}

void Proxy::parse_postgresql(Connection& connection) {
    using Kind = PostgresqlRequest::Kind;
    std::size_t at = 0;
    const std::string_view text = connection.from_client;
    while (!connection.ends) {
        const auto request = read_postgresql_request(text.substr(at), connection.has_begun);
        if (!request) {
            break;
        }
        std::string bytes(text.substr(at, request->bytes));
        at += request->bytes;
        if (request->kind == Kind::kEncryption) {
            connection.to_client += 'N';
            flush(connection);
        } else if (request->kind == Kind::kEnd) {
            connection.ends = true;  // it closes its end next
        } else if (connection.requests.size() >= kRequestsPendingMax) {
            throw Misbehaved(Misbehaviour::kFlooded,
                             caller_text(connection.caller) + " sent too many requests at once");
        } else {
            const bool begins = request->kind == Kind::kStartup;
            connection.has_begun = connection.has_begun || begins;
            connection.requests.push_back({std::move(bytes), begins ? "begins" : request->text,
                                           postgresql_footprint(request->text), 1, begins});
        }
    }
    connection.from_client.erase(0, at);
}

// An answer ends where the server is ready for the next query. What comes between answers nothing.
void Proxy::split_postgresql_replies(Connection& connection) {
    std::size_t at = 0;
    while (const auto length =
               postgresql_message_length(std::string_view(connection.from_server).substr(at))) {
        const bool is_ready = connection.from_server[at] == 'Z';
        connection.answer += connection.from_server.substr(at, *length);
        at += *length;
        if (connection.answer.size() > kReplyBytesMax) {
            throw BadBytes("an answer of more than 16 MiB");
        }
        if (is_ready || connection.owed == 0) {
            connection.session = connection.session == 0 ? postgresql_session(connection.answer)
                                                         : connection.session;
            add_reply(connection, std::exchange(connection.answer, {}), connection.owed == 0);
        }
        connection.owed -= is_ready && connection.owed > 0 ? 1 : 0;
    }
    connection.from_server.erase(0, at);
    if (connection.has_ended && connection.owed > 0) {
        add_reply(connection, std::exchange(connection.answer, {}), false);  // and its end
        connection.owed = 0;
    }
}

}  // namespace lockkeeper::wire
