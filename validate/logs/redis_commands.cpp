// SPDX-License-Identifier: Apache-2.0

// What a Redis server carried out for a lock of one key: SET key token NX takes it, DEL gives it
// back, PEXPIRE and EXPIRE renew it. Commands of scripts come from "lua" and belong to the client
// whose EVAL stands before them. MONITOR never says what was answered.
#include <algorithm>

#include "validate/logs/line_reader.hpp"

namespace lockkeeper::logs {
namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A')
                                              : static_cast<char>(letter);
    });
    return text;
}

}  // namespace

// The same key of another database is another lock.
std::string RedisCommands::key_of(const std::string& key, const std::string& database) const {
    const auto first = databases_.find(key);
    const bool is_other = first != databases_.end() && first->second != database;
    return key + (is_other ? " of database " + database : "");
}

bool RedisCommands::read(const std::string& client, const std::vector<std::string>& words,
                         Observation& seen, const std::string& database) {
    if (words.size() < 2) {
        return false;
    }
    const std::string command = upper(words[0]);
    if (command == "EVAL" || command == "EVALSHA") {
        script_client_ = client;
        return false;
    }
    seen.seen = Seen::kServed;
    seen.caller = client == "lua" ? script_client_ : client;
    seen.key = words[1];
    if (command == "SET" || command == "SETNX") {
        const bool is_lock =
            command == "SETNX" || std::any_of(words.begin() + 2, words.end(),
                                              [](const auto& word) { return upper(word) == "NX"; });
        if (!is_lock || words.size() < 3 || seen.caller.empty()) {
            return false;
        }
        databases_.try_emplace(words[1], database);
        seen.key = key_of(words[1], database);
        locks_.insert(seen.key);
        seen.code = LockCode::kAcquire;
        seen.token = words[2];
        return true;
    }
    seen.key = key_of(words[1], database);
    const bool is_renewal = command == "PEXPIRE" || command == "EXPIRE";
    const bool is_release = command == "DEL" || command == "UNLINK";
    if ((!is_renewal && !is_release) || !locks_.contains(seen.key) || seen.caller.empty()) {
        return false;
    }
    seen.code = is_renewal ? LockCode::kRenew : LockCode::kRelease;
    return true;
}

}  // namespace lockkeeper::logs
