// A private redis-server: in a directory of its own, on a local socket only, without persistence,
// with the harness's clock. It ends with the harness, however that ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "validate/processes/watched_child.hpp"
#include "validate/wire/resp.hpp"
#include "validate/wire/shared_memory.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {

class ServerError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// What the server's keys show.
struct KeyState {
    std::string key;
    std::string value;             // for people
    std::string dump;              // all of it
    std::int64_t expires_at = -1;  // milliseconds since 1970; -1: never
    friend bool operator==(const KeyState&, const KeyState&) = default;
};

class RedisServer {
  public:
    // Throws ServerError where there is none, or none that starts.
    RedisServer(SharedMemory& memory, std::size_t number);
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] const std::string& socket_path() const { return path_; }
    [[nodiscard]] const std::string& version() const { return version_; }
    [[nodiscard]] bool sleeps();
    // Empty, with the scripts that it knew when remember_scripts() was called.
    void reset();
    // The bodies of scripts that callers have sent so far are loaded at every reset.
    void add_script(const std::string& body);
    // By their names.
    [[nodiscard]] std::vector<KeyState> keys();
    // Everything that it stores, as it was at this moment, and back to it.
    void restore(const std::vector<KeyState>& keys);

  private:
    [[nodiscard]] std::vector<std::string> command() const;
    void start();
    void connect_admin();
    RespValue ask(const std::vector<std::vector<std::string>>& commands);

    SharedMemory& memory_;
    std::size_t number_;
    std::string path_;
    std::string log_;
    std::string version_;
    std::unique_ptr<WatchedChild> child_;
    TaskStates tasks_;
    int admin_ = -1;
    std::string rest_;
    std::vector<std::string> scripts_;
};

}  // namespace lockkeeper::wire
