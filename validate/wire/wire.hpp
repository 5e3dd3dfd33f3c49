// SPDX-License-Identifier: Apache-2.0

// The held world: servers, callers' processes, and what goes between them. It chooses nothing and
// judges nothing; each call does one thing and returns when everybody it concerns is at rest. Used
// by WireRun.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/scenario.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/wire/client.hpp"
#include "validate/wire/held_server.hpp"
#include "validate/wire/proxy.hpp"

namespace lockkeeper::wire {

struct WireSettings {
    ServerKind server = ServerKind::kRedis;
    std::size_t servers = 1;   // of that kind, which know nothing of each other
    std::size_t replicas = 0;  // but these, the last ones, which are the first one's
    std::string command;
    std::size_t callers = 2;  // the last of them looks at the end
    Freshness freshness = Freshness::kKept;
    double answer_seconds = 10;
    std::vector<std::int64_t> clock_offsets;  // nanoseconds, of each caller's wall clock
    std::vector<std::int64_t> clock_drifts;   // millionths, of both its clocks
    OutsideServer outside = {};               // ServerKind::kTcp
};

class Wire {
  public:
    // Starts the server. Throws ServerError.
    explicit Wire(WireSettings settings);
    ~Wire();

    void stop_by(const StopRule& rule);
    // Decides how all clients become fresh from now on.
    void set_freshness(Freshness freshness);
    // From now on no client is kept. False: none was until now.
    [[nodiscard]] bool keep_nobody(const std::string& why);
    // Empty where clients are kept.
    [[nodiscard]] const std::string& why_nobody_is_kept() const { return why_nobody_is_kept_; }

    // Nothing is stored, the clock is at the beginning, nobody is connected.
    void begin_run();
    // The caller is fresh and at rest, in two halves: several may become so at once. Throws
    // Misbehaved.
    void start_caller(std::size_t caller, std::uint64_t incarnation = 0);
    void await_caller(std::size_t caller);
    void begin_caller(std::size_t caller, std::uint64_t incarnation = 0) {
        start_caller(caller, incarnation);
        await_caller(caller);
    }

    // A line to the driver, and what the caller does of it until it is at rest.
    void say(std::size_t caller, const std::string& line);
    // A line that the driver has said since, if any.
    [[nodiscard]] std::optional<std::string> hear(std::size_t caller);
    // The same, without what it says by itself.
    [[nodiscard]] std::optional<std::string> hear_answer(std::size_t caller);

    void execute(Connection& connection);
    // The reply for people.
    std::string deliver(Connection& connection);
    // `buries`: what has been sent on it may be executed later (Proxy::bury). True: it may.
    bool lose(Connection& connection, bool buries = false);
    // Every connection to the server.
    void lose_server(std::size_t number);
    // And nobody reaches it, until it starts again: with what it stored, or empty.
    void crash_server(std::size_t number);
    void start_server_again(std::size_t number, bool is_empty);
    [[nodiscard]] bool is_down(std::size_t number) const;
    // The caller does not reach the server: what it has is lost, and it cannot connect.
    void cut_off(std::size_t caller, std::size_t server);
    void reach_again(std::size_t caller, std::size_t server);
    [[nodiscard]] bool is_cut_off(std::size_t caller, std::size_t server) const;
    // Servers that have refused a connection of the caller since the last question have been
    // touched by it. True: there was one.
    bool note_refusals(std::size_t caller);
    // The server's wall clock is set.
    void jump_server(std::size_t number, std::int64_t by);
    // Every server runs, and everybody reaches it. False: so it was.
    bool mend();
    // `buries`: what it has sent may be executed later (Proxy::bury).
    void kill(std::size_t caller, bool buries = false);
    void wake(std::size_t caller, const Sleeper& sleeper);
    // Its next request is executed and answered; else its next wait ends.
    void go_on_at_once(std::size_t caller);
    // The same without the wait. False: there is nothing.
    bool go_on_asking(std::size_t caller);
    // The same for what serves this connection.
    void wake_server(Connection& connection, const Sleeper& sleeper);

    // A reply for people.
    [[nodiscard]] std::string shown(const WireReply& reply) const { return proxy_.shown(reply); }
    [[nodiscard]] Proxy& proxy() { return proxy_; }
    [[nodiscard]] Client& client(std::size_t caller) { return *clients_[caller]; }
    [[nodiscard]] const WireSettings& settings() const { return settings_; }
    [[nodiscard]] std::size_t callers() const { return clients_.size(); }
    [[nodiscard]] HeldServer& server(std::size_t number = 0) { return *servers_[number]; }
    [[nodiscard]] std::size_t servers() const { return servers_.size(); }
    // The keys of all servers.
    [[nodiscard]] std::vector<KeyState> keys();
    // From now on replicas store what they are given; or again what the first server does, from the
    // moment on at which that executes it.
    void let_replicas_lag() { replicas_lag_ = true; }
    // True: they did not.
    bool bring_replicas_up();
    [[nodiscard]] std::int64_t now() const { return memory_.now(); }
    // When each run begins.
    [[nodiscard]] std::int64_t beginning() const { return beginning_; }
    // Moves the clock. On return, the server has ended everything that is over by then.
    void set_now(std::int64_t now);
    // Changes where a timer of Node.js has called its function; 0: nobody counts that.
    [[nodiscard]] std::uint32_t timer_calls(std::size_t caller) const;
    // By caller: a description of what a client that could not be kept left, at its close or when
    // it was told to begin anew.
    [[nodiscard]] const std::map<std::size_t, std::string>& left() const { return left_; }
    // The caller's program cannot be given a clock, or a part of it. Known when it is ready.
    [[nodiscard]] bool runs_on_real_time(std::size_t caller) const {
        return on_real_time_[caller] || proxy_.came_by_tcp(caller);
    }
    // Looks again: a part of it may have been started since.
    void look_for_real_time();
    // The time on the caller's wall clock, and the first moment at which that clock shows `shows`.
    [[nodiscard]] std::int64_t wall_clock(std::size_t caller) const;
    [[nodiscard]] std::int64_t when_wall_clock(std::size_t caller, std::int64_t shows) const;
    // How long a time of its steady clock is from now on.
    [[nodiscard]] std::int64_t when_steady(std::size_t caller, std::int64_t passed) const;
    // The wall clock is set, forward or back. Waits for a moment of it end when it shows that.
    void jump(std::size_t caller, std::int64_t by);
    // SCRIPT LOAD and EXISTS need a choice, but while a caller starts: the server may forget
    // scripts.
    void hold_scripts(bool holds) { holds_scripts_ = holds; }
    // The scripts that have been sent until now are known to the server from now on.
    void keep_scripts();
    // Keeps what is stored now for the beginning of every run. Everybody has disconnected.
    void keep_prepared();
    [[nodiscard]] bool is_prepared() const { return is_prepared_; }

  private:
    [[nodiscard]] bool collect(std::size_t caller);
    // wire_close.cpp
    enum class Closing : std::uint8_t { kBehindRun, kInRun };
    [[nodiscard]] std::optional<std::string> first_line(std::size_t caller);
    [[nodiscard]] const WireRequest* changing_request(std::size_t caller) const;
    bool begin_unkept_if_stale(std::size_t caller, bool is_ready);
    void begin_unkept(std::size_t caller, const std::string& left);
    void close(std::size_t caller, Closing when);
    [[nodiscard]] std::optional<std::string> say_close(std::size_t caller, Closing when);
    // Until the caller is at rest, with everything that it has sent taken.
    void settle(std::size_t caller);
    void look_at_locks();
    void check_answer_time(Client& client, AnswerTime& time) const;

    WireSettings settings_;
    WatchedDirectory directory_;
    SharedMemory memory_;
    std::vector<std::unique_ptr<HeldServer>> servers_;
    Proxy proxy_;
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<std::deque<std::string>> heard_;  // by caller: lines that nobody has taken
    std::vector<bool> on_real_time_;              // by caller
    std::vector<bool> has_begun_;                 // in this run
    std::vector<std::int64_t> started_at_;        // by caller: when its process was
    std::vector<std::pair<std::size_t, std::string>> scripts_;  // with the server
    bool holds_scripts_ = false;
    bool replicas_lag_ = false;
    bool is_prepared_ = false;
    std::int64_t beginning_ = kBeginning;  // of each run
    std::map<std::size_t, std::string> left_;
    bool has_kept_ = false;  // a client from one run to another
    std::string why_nobody_is_kept_;
    StopRule stop_;
};

}  // namespace lockkeeper::wire
