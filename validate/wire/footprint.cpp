// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/footprint.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "validate/wire/subscriptions.hpp"

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

std::string channel_name(const std::string& channel, std::size_t server) {
    return key_name("channel " + channel, server) + "\n";
}

// A CLIENT command whose effect others see, or that decides when this connection is told something.
bool is_choice_of_client(const std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 5> kChoices{"TRACKING", "KILL", "PAUSE", "UNPAUSE",
                                                       "UNBLOCK"};
    return words.size() > 1 &&
           std::find(kChoices.begin(), kChoices.end(), upper(words[1])) != kChoices.end();
}

// Loading a script changes nothing that a call by its text would not.
bool is_set_up(const std::string& name, const std::vector<std::string>& words) {
    if (name == "SCRIPT" && words.size() > 1) {
        const std::string what = upper(words[1]);
        return what == "LOAD" || what == "EXISTS";
    }
    return std::find(kSetUp.begin(), kSetUp.end(), name) != kSetUp.end() &&
           !(name == "CLIENT" && is_choice_of_client(words));
}

// The footprint of PUBLISH, SUBSCRIBE and their kin. Nothing: it is another command.
std::optional<KeyFootprint> of_channels(const std::string& name,
                                        const std::vector<std::string>& words, std::size_t server) {
    KeyFootprint footprint;
    if (name == "PUBLISH" || name == "SPUBLISH") {
        footprint.keys.push_back({channel_name(words.size() > 1 ? words[1] : "", server), true});
        return footprint;
    }
    if (!is_about_channels(words)) {
        return std::nullopt;
    }
    footprint.everything = words.size() == 1;
    for (std::size_t i = 1; i < words.size(); ++i) {
        footprint += channel_footprint(name.front() == 'P', words[i], server);
    }
    return footprint;
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

// The server's own channels ("__keyspace@0__:db") tell of writes, and a pattern may match one.
KeyFootprint channel_footprint(bool is_pattern, const std::string& channel, std::size_t server) {
    KeyFootprint footprint;
    footprint.listens = true;
    footprint.everything = is_pattern || channel.starts_with("__");
    footprint.keys.push_back({channel_name(channel, server), false});
    return footprint;
}

std::int64_t redis_wait_limit(const std::vector<std::string>& words) {
    const std::string name = words.empty() ? "" : upper(words.front());
    const auto number_at = [&](std::size_t at, double unit) -> std::int64_t {
        const double number = at < words.size() ? std::strtod(words[at].c_str(), nullptr) : 0;
        const double limit = std::ceil(number * unit);
        return limit > 0 && limit < 1e12 ? static_cast<std::int64_t>(limit) : 0;
    };
    for (const char* last : {"BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BZPOPMIN", "BZPOPMAX"}) {
        if (name == last) {
            return number_at(words.size() - 1, 1e3);
        }
    }
    if (name == "BLMPOP" || name == "BZMPOP") {
        return number_at(1, 1e3);
    }
    if (name == "WAIT") {
        return number_at(words.size() - 1, 1);
    }
    for (std::size_t i = 1; (name == "XREAD" || name == "XREADGROUP") && i < words.size(); ++i) {
        if (upper(words[i]) == "BLOCK") {
            return number_at(i + 1, 1);
        }
    }
    return 0;
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
    if (auto footprint = of_channels(name, words, server)) {
        command.footprint = std::move(*footprint);
        return command;
    }
    command.footprint.may_tell = command.footprint.loads_script || command.footprint.needs_script;
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
