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

void RedisServer::bring_to(const std::vector<KeyState>& now, const std::vector<KeyState>& keys) {
    std::vector<std::vector<std::string>> commands;
    const auto add = [&](const KeyState& key, std::vector<std::string> command) {
        commands.push_back({"SELECT", std::to_string(key.database)});
        commands.push_back(std::move(command));
    };
    for (const KeyState& key : now) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            add(key, {"DEL", key.key});
        }
    }
    for (const KeyState& key : keys) {
        if (std::find(now.begin(), now.end(), key) == now.end()) {
            const std::int64_t until = key.expires_at < 0 ? 0 : key.expires_at + clock_ahead();
            add(key, {"RESTORE", key.key, std::to_string(until), key.dump, "REPLACE", "ABSTTL"});
        }
    }
    static_cast<void>(ask_to_write(std::move(commands)));
}

}  // namespace lockkeeper::wire
