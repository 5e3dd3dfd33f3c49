// SPDX-License-Identifier: Apache-2.0

// What a Redis server carried out for a lock of one key: SET key token NX takes it, DEL gives it
// back, PEXPIRE and EXPIRE renew it. Commands of scripts come from "lua" and belong to the client
// whose EVAL or FCALL they stand behind. MONITOR never says what was answered.
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

bool RedisCommands::read(const std::string& client, const std::vector<std::string>& words,
                         Observation& seen, const std::string& database,
                         const std::string& source) {
    const std::string command = words.empty() ? "" : upper(words[0]);
    const bool is_script = command.starts_with("EVAL") || command.starts_with("FCALL");
    if (client != "lua") {  // nothing of a server comes between a script and its commands
        script_clients_.erase(source);
        if (is_script) {
            script_clients_[source] = client;
        }
    }
    if (words.size() < 2 || is_script) {
        return false;
    }
    seen.seen = Seen::kServed;
    const auto script = script_clients_.find(source);
    const bool is_of_script = client == "lua";
    seen.caller = !is_of_script ? client : script == script_clients_.end() ? "" : script->second;
    seen.key = words[1];
    seen.full_key = database.empty() ? "" : seen.key + " of database " + database;
    if (command == "SET" || command == "SETNX") {
        const bool is_lock =
            command == "SETNX" || std::any_of(words.begin() + 2, words.end(),
                                              [](const auto& word) { return upper(word) == "NX"; });
        if (!is_lock || words.size() < 3 || seen.caller.empty()) {
            return false;
        }
        locks_.insert({seen.key, database});
        seen.code = LockCode::kAcquire;
        seen.token = words[2];
        return true;
    }
    const bool is_renewal = command == "PEXPIRE" || command == "EXPIRE";
    const bool is_release = command == "DEL" || command == "UNLINK";
    if ((!is_renewal && !is_release) || !locks_.contains({seen.key, database}) ||
        seen.caller.empty()) {
        return false;
    }
    seen.code = is_renewal ? LockCode::kRenew : LockCode::kRelease;
    return true;
}

}  // namespace lockkeeper::logs
