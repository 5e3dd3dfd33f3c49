// SPDX-License-Identifier: Apache-2.0

// A private redis-server: in a directory of its own, on a local socket only, without persistence,
// with the harness's clock. It ends with the harness, however that ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "validate/processes/watched_child.hpp"
#include "validate/wire/held_server.hpp"
#include "validate/wire/resp.hpp"
#include "validate/wire/shared_memory.hpp"
#include "validate/wire/task_states.hpp"

namespace lockkeeper::wire {

class RedisServer final : public HeldServer {
  public:
    // Throws ServerError where there is none, or none that starts.
    RedisServer(SharedMemory& memory, std::size_t number, bool is_replica = false);
    ~RedisServer() override;

    [[nodiscard]] std::string socket_path() const override { return path_; }
    [[nodiscard]] std::uint16_t port() const override;
    [[nodiscard]] std::vector<std::string> variables() const override;
    // It sleeps: whoever is not answered yet waits for others.
    [[nodiscard]] bool waits(const Connection& connection) override;
    [[nodiscard]] std::vector<pid_t> processes(const Connection& /*connection*/) const override {
        return {child_->id()};
    }
    void closed(const Connection& connection) override;
    void reset() override;
    void keep() override;
    void sees(const std::vector<std::string>& words) override;
    [[nodiscard]] std::int64_t end_of_wait(const std::vector<std::string>& words) override;
    [[nodiscard]] std::vector<Sleeper> sleepers(const Connection& connection) const override;
    void time_passed() override;
    void clock_set() override;
    void add_script(const std::string& body) override;
    [[nodiscard]] std::vector<KeyState> keys() override;
    [[nodiscard]] std::uint64_t writes() const override { return writes_; }
    void restore(const std::vector<KeyState>& keys) override;
    void bring_to(const std::vector<KeyState>& now, const std::vector<KeyState>& keys) override;
    void forget_scripts() override;

  private:
    [[nodiscard]] std::vector<std::string> command() const;
    void start();
    [[nodiscard]] std::int64_t clock_ahead() const;
    void connect_admin();
    void start_again();
    [[nodiscard]] std::vector<std::vector<std::string>> settings_now();
    RespValue ask(const std::vector<std::vector<std::string>>& commands);
    void add_keys(const std::vector<KeyState>& keys,
                  std::vector<std::vector<std::string>>& commands) const;
    // The same where some of them write, also to a replica (redis_replica.cpp).
    RespValue ask_to_write(std::vector<std::vector<std::string>> commands);
    // Asks them, and then what is stored.
    std::vector<KeyState> look_after(std::vector<std::vector<std::string>> commands);

    SharedMemory& memory_;
    std::size_t number_;
    bool is_replica_;
    std::string path_;
    std::string log_;
    std::unique_ptr<WatchedChild> child_;
    TaskStates tasks_;
    int admin_ = -1;
    std::string rest_;
    std::vector<std::string> scripts_;
    // The state that reset() puts back.
    struct Kept {
        std::vector<KeyState> keys;
        std::vector<std::vector<std::string>> settings;  // commands that a fresh server needs
    };
    Kept kept_;
    bool has_ends_of_waits_ = false;
    bool changes_settings_ = false;  // what is no key and no script, since the last start
    std::uint64_t writes_ = 0;
};

}  // namespace lockkeeper::wire
