// SPDX-License-Identifier: Apache-2.0

// A replica of Redis without a link to a primary: it refuses to be written by clients, and is
// written by the harness.
#include <algorithm>
#include <string>
#include <utility>

#include "validate/wire/redis_server.hpp"

namespace lockkeeper::wire {

RespValue RedisServer::ask_to_write(std::vector<std::vector<std::string>> commands) {
    if (is_replica_) {
        const std::vector<std::string> setting{"CONFIG", "SET", "replica-read-only"};
        commands.insert(commands.begin(), setting);
        commands.front().emplace_back("no");
        commands.push_back(setting);
        commands.back().emplace_back("yes");
    }
    return ask(commands);
}

void RedisServer::add_keys(const std::vector<KeyState>& keys,
                           std::vector<std::vector<std::string>>& commands) const {
    for (const KeyState& key : keys) {
        const std::int64_t until = key.expires_at < 0 ? 0 : key.expires_at + clock_ahead();
        commands.push_back({"SELECT", std::to_string(key.database)});
        commands.push_back(
            {"RESTORE", key.key, std::to_string(until), key.dump, "REPLACE", "ABSTTL"});
    }
}

void RedisServer::bring_to(const std::vector<KeyState>& now, const std::vector<KeyState>& keys) {
    const auto without = [](std::vector<KeyState> some, const std::vector<KeyState>& others) {
        std::erase_if(some, [&](const KeyState& key) {
            return std::find(others.begin(), others.end(), key) != others.end();
        });
        return some;
    };
    std::vector<std::vector<std::string>> commands;
    for (const KeyState& key : without(now, keys)) {
        commands.push_back({"SELECT", std::to_string(key.database)});
        commands.push_back({"DEL", key.key});
    }
    add_keys(without(keys, now), commands);
    static_cast<void>(ask_to_write(std::move(commands)));
}

}  // namespace lockkeeper::wire
