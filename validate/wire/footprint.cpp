// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/footprint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace lockkeeper::wire {
namespace {

enum class Keys : std::uint8_t {
    kNone,      // and nothing of the data
    kFirst,     // the first word
    kAll,       // all words
    kEvery2nd,  // MSET key value key value
    kCounted,   // the second word says how many follow it: EVAL, and so do scripts by their hash
};

struct Row {
    std::string_view name;
    Keys keys;
    bool writes;
};

// Words of locks, and what surrounds them. All else touches everything.
constexpr std::array kRows{
    Row{"SET", Keys::kFirst, true},
    Row{"SETNX", Keys::kFirst, true},
    Row{"SETEX", Keys::kFirst, true},
    Row{"PSETEX", Keys::kFirst, true},
    Row{"GETSET", Keys::kFirst, true},
    Row{"GETDEL", Keys::kFirst, true},
    Row{"GETEX", Keys::kFirst, true},
    Row{"GET", Keys::kFirst, false},
    Row{"STRLEN", Keys::kFirst, false},
    Row{"APPEND", Keys::kFirst, true},
    Row{"INCR", Keys::kFirst, true},
    Row{"DECR", Keys::kFirst, true},
    Row{"INCRBY", Keys::kFirst, true},
    Row{"DECRBY", Keys::kFirst, true},
    Row{"EXPIRE", Keys::kFirst, true},
    Row{"PEXPIRE", Keys::kFirst, true},
    Row{"EXPIREAT", Keys::kFirst, true},
    Row{"PEXPIREAT", Keys::kFirst, true},
    Row{"PERSIST", Keys::kFirst, true},
    Row{"TTL", Keys::kFirst, false},
    Row{"PTTL", Keys::kFirst, false},
    Row{"EXPIRETIME", Keys::kFirst, false},
    Row{"PEXPIRETIME", Keys::kFirst, false},
    Row{"TYPE", Keys::kFirst, false},
    Row{"DEL", Keys::kAll, true},
    Row{"UNLINK", Keys::kAll, true},
    Row{"EXISTS", Keys::kAll, false},
    Row{"MGET", Keys::kAll, false},
    Row{"MSET", Keys::kEvery2nd, true},
    Row{"MSETNX", Keys::kEvery2nd, true},
    Row{"HSET", Keys::kFirst, true},
    Row{"HSETNX", Keys::kFirst, true},
    Row{"HDEL", Keys::kFirst, true},
    Row{"HINCRBY", Keys::kFirst, true},
    Row{"HGET", Keys::kFirst, false},
    Row{"HGETALL", Keys::kFirst, false},
    Row{"HEXISTS", Keys::kFirst, false},
    Row{"HLEN", Keys::kFirst, false},
    Row{"LPUSH", Keys::kFirst, true},
    Row{"RPUSH", Keys::kFirst, true},
    Row{"LPOP", Keys::kFirst, true},
    Row{"RPOP", Keys::kFirst, true},
    Row{"LLEN", Keys::kFirst, false},
    Row{"LRANGE", Keys::kFirst, false},
    Row{"LREM", Keys::kFirst, true},
    Row{"LINDEX", Keys::kFirst, false},
    Row{"SADD", Keys::kFirst, true},
    Row{"SREM", Keys::kFirst, true},
    Row{"SCARD", Keys::kFirst, false},
    Row{"SISMEMBER", Keys::kFirst, false},
    Row{"SMEMBERS", Keys::kFirst, false},
    Row{"ZADD", Keys::kFirst, true},
    Row{"ZREM", Keys::kFirst, true},
    Row{"ZCARD", Keys::kFirst, false},
    Row{"ZRANK", Keys::kFirst, false},
    Row{"ZSCORE", Keys::kFirst, false},
    Row{"ZRANGE", Keys::kFirst, false},
    Row{"ZREMRANGEBYSCORE", Keys::kFirst, true},
    Row{"ZRANGEBYSCORE", Keys::kFirst, false},
    Row{"EVAL", Keys::kCounted, true},
    Row{"EVALSHA", Keys::kCounted, true},
    Row{"EVAL_RO", Keys::kCounted, false},
    Row{"EVALSHA_RO", Keys::kCounted, false},
    Row{"WATCH", Keys::kAll, false},
    Row{"UNWATCH", Keys::kNone, false},
    Row{"MULTI", Keys::kNone, false},
    Row{"DISCARD", Keys::kNone, false},
    Row{"TIME", Keys::kNone, false},
};

constexpr std::array<std::string_view, 14> kSetUp{
    "HELLO", "AUTH",     "CLIENT",    "SELECT", "INFO", "COMMAND", "ECHO",
    "PING",  "READONLY", "READWRITE", "ASKING", "ROLE", "CLUSTER", "LOLWUT"};

std::string upper(std::string_view word) {
    std::string out(word.substr(0, 32));
    std::transform(out.begin(), out.end(), out.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    return out;
}

// Loading a script changes nothing that a call by its text would not.
bool is_set_up(const std::string& name, const std::vector<std::string>& words) {
    if (name == "SCRIPT" && words.size() > 1) {
        const std::string what = upper(words[1]);
        return what == "LOAD" || what == "EXISTS";
    }
    return std::find(kSetUp.begin(), kSetUp.end(), name) != kSetUp.end();
}

std::size_t count_of(const std::vector<std::string>& words) {
    std::size_t count = 0;
    if (words.size() > 2) {
        std::from_chars(words[2].data(), words[2].data() + words[2].size(), count);
    }
    return count > words.size() ? 0 : count;
}

}  // namespace

std::string key_name(const std::string& key, std::size_t server) {
    return std::to_string(server) + ":" + key;
}

RedisCommand redis_command(const std::vector<std::string>& words, std::size_t server) {
    RedisCommand command;
    const std::string name = words.empty() ? "" : upper(words.front());
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const Row& candidate) { return candidate.name == name; });
    command.is_set_up = is_set_up(name, words);
    command.is_about_scripts = command.is_set_up && name == "SCRIPT";
    const bool loads = command.is_about_scripts && upper(words[1]) == "LOAD";
    command.footprint.loads_script = loads || name == "EVAL" || name == "EVAL_RO";
    command.footprint.needs_script =
        (command.is_about_scripts && !loads) || name == "EVALSHA" || name == "EVALSHA_RO";
    if (command.is_set_up) {
        return command;
    }
    if (row == kRows.end()) {
        command.footprint.everything = true;
        return command;
    }
    std::size_t first = 1;
    std::size_t count = 0;
    std::size_t step = 1;
    switch (row->keys) {
        case Keys::kNone: return command;
        case Keys::kFirst: count = 1; break;
        case Keys::kAll: count = words.size() - 1; break;
        case Keys::kEvery2nd: count = words.size() / 2, step = 2; break;
        case Keys::kCounted: first = 3, count = count_of(words); break;
    }
    for (std::size_t i = 0; i < count && first + i * step < words.size(); ++i) {
        command.footprint.keys.push_back({key_name(words[first + i * step], server), row->writes});
    }
    command.footprint.everything = command.footprint.keys.empty();
    return command;
}

}  // namespace lockkeeper::wire
