// SPDX-License-Identifier: Apache-2.0

// How connections end: lost, with their caller, or with the server; and what of them outlives a
// caller.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "validate/programs/child_process.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {

KeyUse reach_use(std::size_t caller, std::size_t server, bool writes) {
    return {"\nreach " + std::to_string(caller) + " " + std::to_string(server), writes};
}

void Proxy::note_reach(std::size_t caller, std::size_t server) {
    if (!notes_reaches_) {
        return;
    }
    KeyUse use = reach_use(caller, server, false);
    std::vector<KeyUse>& keys = touched_.footprint.keys;
    if (std::none_of(keys.begin(), keys.end(),
                     [&](const KeyUse& known) { return known.key == use.key; })) {
        keys.push_back(std::move(use));
    }
}

bool Proxy::is_idle(std::size_t caller, std::size_t server) const {
    const auto& connections = callers_[caller].connections;
    return std::none_of(connections.begin(), connections.end(), [&](const auto& connection) {
        return connection->server == server &&
               (!connection->requests.empty() || !connection->replies.empty() ||
                connection->owed > 0 || !connection->from_client.empty() ||
                connection->subscriptions.listen());
    });
}

// Closes it at both ends; returns when the server has forgotten it, too.
void Proxy::forget(Connection& connection) {
    if (connection.upstream >= 0) {
        touched_.footprint += footprint_of_end(connection);
        settings_.servers[connection.server]->close_upstream(connection);
    }
}

void Proxy::lose(Connection& connection) {
    const std::size_t caller = connection.caller;
    forget(connection);
    std::erase_if(callers_[caller].connections,
                  [&](const auto& other) { return other.get() == &connection; });
}

void Proxy::forget(std::size_t caller) {
    executing_ = nullptr;
    accept_all(caller);  // what nobody has accepted is of the dead, too
    for (const auto& connection : callers_[caller].connections) {
        forget(*connection);
    }
    callers_[caller].connections.clear();
    callers_[caller].opened = 0;
}

void Proxy::bury(std::size_t caller) {
    accept_all(caller);
    std::erase_if(callers_[caller].connections,
                  [&](const auto& connection) { return !becomes_late(*connection); });
}

bool Proxy::bury(Connection& connection) {
    const bool stays = becomes_late(connection);
    if (!stays) {
        lose(connection);
    }
    return stays;
}

// False: there is nothing to be executed later, and the server has forgotten it.
bool Proxy::becomes_late(Connection& connection) {
    if (connection.client >= 0) {
        close(std::exchange(connection.client, -1));
    }
    connection.from_client.clear();
    connection.to_client.clear();
    connection.replies.clear();
    connection.is_late = true;
    const bool stays = connection.owed == 0 && connection.next_chosen() != nullptr;
    if (!stays) {
        forget(connection);
    }
    return stays;
}

void Proxy::execute_late(Connection& connection) {
    for (bool is_done = false; !is_done && connection.owed == 0;) {
        is_done = !connection.requests.front().is_set_up;
        execute(connection);
    }
    if (connection.owed > 0 || connection.next_chosen() == nullptr) {
        lose(connection);
    }
}

std::vector<Sleeper> Proxy::server_sleepers(const Connection& connection) const {
    return connection.owed == 0 || connection.client < 0
               ? std::vector<Sleeper>{}
               : settings_.servers[connection.server]->sleepers(connection);
}

void Proxy::await_woken(Connection& connection) {
    await_rest(connection);
    take_replies(connection);
    look_at_others(connection.server);
}

void Proxy::lose_all(std::size_t server) {
    for (std::size_t caller = 0; caller < callers_.size(); ++caller) {
        lose_all(server, caller);
    }
}

void Proxy::lose_all(std::size_t server, std::size_t caller) {
    std::erase_if(callers_[caller].connections, [&](const auto& connection) {
        const bool goes = connection->server == server;
        if (goes) {
            forget(*connection);
        }
        return goes;
    });
}

}  // namespace lockkeeper::wire
