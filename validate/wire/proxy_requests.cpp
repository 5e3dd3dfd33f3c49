// How the bytes of a caller become requests, and which of them pass without a choice.
#include <strings.h>

#include <fmt/format.h>

#include "validate/programs/child_process.hpp"
#include "validate/wire/proxy.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {

void Proxy::parse(Connection& connection) {
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
    connection.requests.push_back({std::move(bytes), shown_command(words), command.footprint, 1});
    connection.transaction.push_back(std::move(words));
}

// Of the commands that have come, those from a MULTI to its EXEC become one request.
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
        } else if (is(i, "MULTI")) {
            connection.in_transaction = true;
            connection.queued = {};
        } else if (connection.in_transaction) {
            const bool ends = is(i, "EXEC") || is(i, "DISCARD");
            connection.queued += ends ? Footprint{} : request.footprint;
            request.footprint = is(i, "EXEC") ? connection.queued : Footprint{};
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
        const WireRequest& request = connection.requests.front();
        const auto command = read_command(request.bytes);
        if (request.replies != 1 || !redis_command(command->words).is_set_up) {
            break;
        }
        const std::uint64_t before = fingerprint_;
        execute(connection);
        if (!connection.replies.empty()) {
            static_cast<void>(deliver(connection));
        }
        fingerprint_ = before;  // the number of a connection is another one in each run
        moved = true;
    }
    return moved;
}

}  // namespace lockkeeper::wire
