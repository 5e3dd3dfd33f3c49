// SPDX-License-Identifier: Apache-2.0

// A server that Lockkeeper does not know: somebody's command, started privately on a port of the
// loopback, in a folder that is removed. The scenario says how its messages are framed, how it
// forgets everything, and what its replies say of leases (docs/reference/wire.md).
//
// It is held like a client where it uses the C library: its clock stands, and its waits end when
// the time has passed. One that is not held runs on real time: then leases whose end has come are
// ended by the request that the scenario names, or time does not pass.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/processes/kept_tree.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/wire/framing.hpp"
#include "validate/wire/held_server.hpp"
#include "validate/wire/lease_words.hpp"
#include "validate/wire/loopback.hpp"
#include "validate/wire/loopback_inside.hpp"
#include "validate/wire/shared_memory.hpp"
#include "validate/wire/task_states.hpp"
#include "validate/wire/zookeeper.hpp"

namespace lockkeeper::wire {

class TcpServer final : public HeldServer {
  public:
    // Throws BadInput where it does not start, ends, or does not open its port in time.
    TcpServer(SharedMemory& memory, OutsideServer server, double answer_seconds);
    ~TcpServer() override;

    [[nodiscard]] std::string socket_path() const override { return ""; }
    [[nodiscard]] std::uint16_t port() const override { return port_; }
    [[nodiscard]] std::vector<std::string> variables() const override { return {}; }
    [[nodiscard]] int connect_upstream() override;
    void close_upstream(Connection& connection) override;
    void upstream_ended(const Connection& connection) override;
    [[nodiscard]] bool waits(const Connection& connection) override;
    [[nodiscard]] bool rests(const Connection& connection) override;
    [[nodiscard]] std::vector<pid_t> processes(const Connection& /*connection*/) const override {
        return child_ ? std::vector<pid_t>{child_->id()} : std::vector<pid_t>();
    }
    [[nodiscard]] std::vector<Sleeper> sleepers(const Connection& connection) const override;
    void closed(const Connection& /*connection*/) override {}
    void reset() override;
    void keep() override;
    void add_script(const std::string& /*body*/) override {}
    // Its leases, as far as its replies have said them.
    [[nodiscard]] std::vector<KeyState> keys() override;
    void restore(const std::vector<KeyState>& keys) override;
    // Is killed and started again in the same folder.
    void forget_scripts() override;
    void time_passed() override;
    [[nodiscard]] bool shows_all() const override { return false; }
    [[nodiscard]] bool shows_ends() const override { return !server_.granted.empty(); }
    [[nodiscard]] bool runs_on_real_time() const override { return runs_on_real_time_; }
    [[nodiscard]] bool stands_still() const override { return stands_still_; }
    [[nodiscard]] bool forces_ends() const override { return !server_.expire.empty(); }

    [[nodiscard]] Framing framing() const { return framing_; }
    // Sends what answers no request; and before anybody has asked.
    [[nodiscard]] bool pushes() const { return talk_of(framing_).pushes; }
    [[nodiscard]] bool greets() const { return talk_of(framing_).greets; }
    void take_reply(MessageKind kind, std::string_view reply, std::size_t caller);
    // Without what is another one in each run.
    [[nodiscard]] std::string steady(MessageKind kind, std::string_view message) const;
    [[nodiscard]] std::string shown(MessageKind kind, std::string_view message) const;

  private:
    void start();
    void stop();
    void await_port();
    void end_sleep_before_port();
    void end_sleeps_of_start();
    void end_timers();
    // Its processes sleep, and everything on this connection has arrived.
    [[nodiscard]] bool at_rest(int file);
    void settle(int file = -1);
    void check_alive();
    void end_lease(const std::string& name);
    std::string ask(const std::string& message);
    // The answer to these bytes, whole; empty: the server has closed the connection.
    std::string answer_to(Connection& connection, const std::string& bytes);
    // ZooKeeper (tcp_server_zookeeper.cpp).
    void begin_zookeeper();
    void end_session(const ZookeeperSession& session);
    bool forget_nodes();
    bool delete_nodes(Connection& connection);
    [[nodiscard]] std::string last_words() const;

    SharedMemory& memory_;
    OutsideServer server_;
    Framing framing_;
    double answer_seconds_;
    LeaseWords words_;
    std::string directory_;
    std::string log_;
    std::unique_ptr<WatchedChild> child_;
    TaskStates tasks_;
    LoopbackState loopback_;
    EndsInside inside_;
    std::uint16_t port_ = 0;
    bool runs_on_real_time_ = false;
    bool stands_still_ = false;
    std::optional<Misbehaved> broken_;
    bool is_untouched_ = false;  // since it was started in its folder as it was kept
    std::unique_ptr<KeptTree> kept_;
    std::int64_t ready_at_ = kBeginning;      // when it begins to serve
    bool time_has_passed_ = false;            // since it was started
    std::vector<ZookeeperSession> sessions_;  // that clients have begun
};

}  // namespace lockkeeper::wire
