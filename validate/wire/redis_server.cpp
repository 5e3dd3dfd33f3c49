// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/redis_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scheduler/search/explore.hpp"
#include "validate/programs/child_process.hpp"
#include "validate/servers/private_server.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::uint16_t kRedisPort = 6379;
constexpr auto kStartsWithin = std::chrono::seconds(20);
constexpr auto kAnswersWithin = std::chrono::seconds(20);
constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

// How often anything was written since the start, which no save sets back here; and all keys of all
// databases by name, each with its end, its bytes, something to look at, and its database.
constexpr const char* kLook =
    "local out = {} "
    "for number in string.gmatch(redis.call('INFO', 'keyspace'), 'db(%d+):') do "
    "redis.call('SELECT', number) local keys = redis.call('KEYS', '*') table.sort(keys) "
    "for _, key in ipairs(keys) do local kind = redis.call('TYPE', key).ok local shown = kind "
    "if kind == 'string' then shown = redis.call('GET', key) "
    "elseif kind == 'hash' then shown = table.concat(redis.call('HGETALL', key), ' ') "
    "elseif kind == 'list' then shown = table.concat(redis.call('LRANGE', key, 0, 8), ' ') "
    "elseif kind == 'set' then local all = redis.call('SMEMBERS', key) table.sort(all) "
    "shown = table.concat(all, ' ') "
    "elseif kind == 'zset' then shown = table.concat(redis.call('ZRANGE', key, 0, 8), ' ') end "
    "out[#out + 1] = {key, tostring(redis.call('PEXPIRETIME', key)), shown, "
    "redis.call('DUMP', key), number} end end "
    "return {string.match(redis.call('INFO', 'persistence'), "
    "'rdb_changes_since_last_save:(%d+)'), out}";

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

RedisServer::RedisServer(SharedMemory& memory, std::size_t number, bool is_replica)
    : memory_(memory),
      number_(number),
      is_replica_(is_replica),
      path_(fmt::format("{}/redis{}.sock", memory.directory(), number)),
      log_(fmt::format("{}/redis{}.log", memory.directory(), number)) {
    start();
}

RedisServer::~RedisServer() {
    if (admin_ >= 0) {
        close(admin_);
    }
}

std::vector<std::string> RedisServer::command() const {
    const std::string program = databases::find_program("redis-server");
    if (program.empty()) {
        throw ServerError("redis-server is not installed");
    }
    std::vector<std::string> words{"/usr/bin/env"};
    for (std::string& variable :
         memory_.variables(LOCKKEEPER_WIRE_SERVER + static_cast<unsigned>(number_))) {
        words.push_back(std::move(variable));
    }
    for (const char* word : {program.c_str(),
                             "--port",
                             "0",
                             "--unixsocket",
                             path_.c_str(),
                             "--save",
                             "",
                             "--appendonly",
                             "no",
                             "--daemonize",
                             "no",
                             "--hz",
                             "1",
                             "--maxmemory",
                             "256mb",
                             "--maxmemory-policy",
                             "noeviction",
                             "--client-query-buffer-limit",
                             "64mb",
                             "--proto-max-bulk-len",
                             "16mb",
                             "--activerehashing",
                             "no",
                             "--logfile",
                             "",
                             "--loglevel",
                             "warning",
                             "--lazyfree-lazy-user-flush",
                             "no"}) {
        words.emplace_back(word);
    }
    return words;
}

// Until it listens.
void RedisServer::connect_admin() {
    const auto deadline = SteadyClock::now() + kStartsWithin;
    while (admin_ < 0) {
        try {
            admin_ = connect_to(path_);
        } catch (const std::system_error&) {
            if (child_->status()) {
                throw ServerError("redis-server ended: " + contents(log_).substr(0, 400));
            }
            if (interrupt_requested() || SteadyClock::now() > deadline) {
                throw ServerError(interrupt_requested()
                                      ? "redis-server: interrupted while it was being started"
                                      : "redis-server does not listen");
            }
            std::this_thread::sleep_for(kBetweenLooks);
        }
    }
}

void RedisServer::start() {
    std::vector<std::string> words = command();
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    std::string problem;
    try {
        child_ = std::make_unique<WatchedChild>(WatchedChild::Order{
            std::move(words), {null, out, out}, memory_.directory(), std::nullopt, SIGKILL});
    } catch (const std::system_error& error) {
        problem = error.what();
    }
    close(null);
    close(out);
    if (!problem.empty()) {
        throw ServerError("redis-server: " + problem);
    }
    connect_admin();
    if (is_replica_) {  // of nobody: at port 0 there never is a server
        static_cast<void>(ask({{"REPLICAOF", "127.0.0.1", "0"}}));
    }
}

std::uint16_t RedisServer::port() const { return static_cast<std::uint16_t>(kRedisPort + number_); }

std::vector<std::string> RedisServer::variables() const {
    const std::string number = std::to_string(port());
    return {"REDIS_URL=redis://127.0.0.1:" + number + "/0", "REDIS_HOST=127.0.0.1",
            "REDIS_PORT=" + number};
}

bool RedisServer::waits(const Connection& /*connection*/) {
    return tasks_.all_sleep({child_->id()});
}

// Whoever is told of something, or waits for an element, is reckoned with until the server has read
// the end of the connection. When it has answered what was sent later, it has forgotten it.
void RedisServer::closed(const Connection& connection) {
    if (connection.subscriptions.listen() || connection.owed > 0) {
        static_cast<void>(ask({{"PING"}}));
    }
}

// The answer to the last of them.
RespValue RedisServer::ask(const std::vector<std::vector<std::string>>& commands) {
    std::string text;
    for (const auto& command : commands) {
        text += to_resp(command);
    }
    std::size_t sent = 0;
    std::size_t answers = 0;
    const auto deadline = SteadyClock::now() + kAnswersWithin;
    RespValue last;
    while (answers < commands.size()) {
        pollfd wait{admin_, static_cast<short>(sent < text.size() ? POLLIN | POLLOUT : POLLIN), 0};
        ::poll(&wait, 1, 100);
        if (sent < text.size()) {
            const ssize_t count =
                send(admin_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            sent += count > 0 ? static_cast<std::size_t>(count) : 0;
        }
        std::array<char, 65536> buffer;
        const ssize_t count = recv(admin_, buffer.data(), buffer.size(), 0);
        if (count == 0 || SteadyClock::now() > deadline) {
            throw ServerError("redis-server ended, or does not answer: " +
                              contents(log_).substr(0, 400));
        }
        rest_.append(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        while (const auto length = reply_length(rest_)) {
            last = parse_reply(std::string_view(rest_).substr(0, *length));
            rest_.erase(0, *length);
            ++answers;
        }
    }
    if (last.type == '-') {
        throw ServerError("redis-server: " + last.text);
    }
    return last;
}

void RedisServer::add_script(const std::string& body) {
    if (std::find(scripts_.begin(), scripts_.end(), body) == scripts_.end()) {
        scripts_.push_back(body);
    }
}

// Functions, users, configuration, whom it follows: a fresh server has none of it.
void RedisServer::sees(const std::vector<std::string>& words) {
    const auto is = [&](std::size_t at, const char* word) {
        return words.size() > at && strcasecmp(words[at].c_str(), word) == 0;
    };
    const bool is_setting = (is(0, "CONFIG") && !is(1, "GET")) ||
                            (is(0, "ACL") && !is(1, "WHOAMI")) || is(0, "FUNCTION") ||
                            is(0, "REPLICAOF") || is(0, "SLAVEOF") || is(0, "MODULE") ||
                            is(0, "DEBUG") || is(0, "CLUSTER") || is(0, "SHUTDOWN");
    changes_settings_ = changes_settings_ || is_setting;
}

std::int64_t RedisServer::end_of_wait(const std::vector<std::string>& words) {
    const std::int64_t limit = redis_wait_limit(words);
    if (limit <= 0) {
        return INT64_MAX;
    }
    has_ends_of_waits_ = true;
    // It counts milliseconds, and gives up behind the last of them.
    return (memory_.now() / 1'000'000 + limit + 1) * 1'000'000;
}

std::vector<Sleeper> RedisServer::sleepers(const Connection& connection) const {
    return connection.waits_until == INT64_MAX ? std::vector<Sleeper>{}
                                               : std::vector<Sleeper>{{0, connection.waits_until}};
}

// It looks at the clock when it has something to do.
void RedisServer::time_passed() {
    if (has_ends_of_waits_) {
        static_cast<void>(ask({{"PING"}}));
    }
}

// What has come to its end by it is gone.
void RedisServer::clock_set() { static_cast<void>(ask({{"PING"}})); }

// Milliseconds.
std::int64_t RedisServer::clock_ahead() const {
    return memory_->server_offsets[number_] / 1'000'000;
}

void RedisServer::start_again() {
    close(std::exchange(admin_, -1));
    rest_.clear();
    child_.reset();
    unlink(path_.c_str());
    start();
    changes_settings_ = false;
    if (!kept_.settings.empty()) {
        static_cast<void>(ask(kept_.settings));
    }
}

std::vector<std::vector<std::string>> RedisServer::settings_now() {
    std::vector<std::vector<std::string>> out{
        {"FUNCTION", "RESTORE", ask({{"FUNCTION", "DUMP"}}).text, "FLUSH"}};
    for (const RespValue& user : ask({{"ACL", "LIST"}}).elements) {
        std::istringstream rules(user.text);
        std::vector<std::string> command{"ACL", "SETUSER"};
        for (std::string rule; rules >> rule;) {
            command.push_back(rule);
        }
        command.erase(command.begin() + 2);  // "user"
        command.insert(command.begin() + 3, "reset");
        out.push_back(std::move(command));
    }
    const auto configuration = ask({{"CONFIG", "GET", "*"}}).elements;
    for (std::size_t i = 0; i + 1 < configuration.size(); i += 2) {
        out.push_back({"CONFIG", "SET", configuration[i].text, configuration[i + 1].text});
    }
    return out;
}

// Keeps only the settings that differ from a fresh server's, because not all settings can be set.
void RedisServer::keep() {
    kept_.keys = keys();
    if (!changes_settings_) {
        return;
    }
    const auto wanted = settings_now();
    kept_.settings.clear();
    start_again();
    const auto fresh = settings_now();
    for (const auto& command : wanted) {
        if (command.front() != "CONFIG" ||
            std::find(fresh.begin(), fresh.end(), command) == fresh.end()) {
            kept_.settings.push_back(command);
        }
    }
    static_cast<void>(ask(kept_.settings));
}

void RedisServer::reset() {
    has_ends_of_waits_ = false;
    if (changes_settings_) {
        start_again();
    }
    std::vector<std::vector<std::string>> commands{{"FLUSHALL"}, {"SCRIPT", "FLUSH", "SYNC"}};
    for (const std::string& script : scripts_) {
        commands.push_back({"SCRIPT", "LOAD", script});
    }
    add_keys(kept_.keys, commands);
    static_cast<void>(ask_to_write(std::move(commands)));
}

std::vector<KeyState> RedisServer::keys() { return look_after({}); }

std::vector<KeyState> RedisServer::look_after(std::vector<std::vector<std::string>> commands) {
    commands.push_back({"EVAL", kLook, "0"});
    const RespValue look = ask(commands);
    if (look.elements.size() != 2) {
        throw ServerError("redis-server does not say how often anything was written");
    }
    writes_ = std::strtoull(look.elements[0].text.c_str(), nullptr, 10);
    std::vector<KeyState> out;
    for (const RespValue& row : look.elements[1].elements) {
        if (row.elements.size() != 5) {
            continue;
        }
        KeyState& key = out.emplace_back();
        key.key = row.elements[0].text;
        key.value = row.elements[2].text;
        key.dump = row.elements[3].text;
        key.expires_at = std::strtoll(row.elements[1].text.c_str(), nullptr, 10);
        key.expires_at -= key.expires_at < 0 ? 0 : clock_ahead();
        key.server = number_;
        key.database = static_cast<int>(std::strtol(row.elements[4].text.c_str(), nullptr, 10));
        key.value += key.database == 0 ? "" : fmt::format(" (in database {})", key.database);
    }
    return out;
}

void RedisServer::forget_scripts() { static_cast<void>(ask({{"SCRIPT", "FLUSH", "SYNC"}})); }

void RedisServer::restore(const std::vector<KeyState>& keys) {
    std::vector<std::vector<std::string>> commands{{"FLUSHALL"}};
    add_keys(keys, commands);
    static_cast<void>(ask_to_write(std::move(commands)));
    static_cast<void>(look_after({}));
}

}  // namespace lockkeeper::wire
