// SPDX-License-Identifier: Apache-2.0

// The server that callers talk to, as the harness holds it: private, reset between runs, and asked
// what it stores.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "validate/wire/shared_memory.hpp"
#include "validate/wire/wire_choices.hpp"

namespace lockkeeper::wire {

class Connection;

class ServerError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The state of one of the server's keys, or of one of its locks.
struct KeyState {
    std::string key;
    std::string value;             // for people
    std::string dump;              // all of it
    std::int64_t expires_at = -1;  // milliseconds since 1970; -1: never
    int caller = -1;  // who was granted it, where the server says that; -1: it does not
    int database = 0;
    std::size_t server = 0;
    friend bool operator==(const KeyState&, const KeyState&) = default;
};

class HeldServer {
  public:
    HeldServer() = default;
    HeldServer(const HeldServer&) = delete;
    HeldServer& operator=(const HeldServer&) = delete;
    virtual ~HeldServer() = default;

    [[nodiscard]] virtual std::string socket_path() const = 0;
    [[nodiscard]] virtual std::uint16_t port() const = 0;
    // For the callers: "REDIS_URL=...".
    [[nodiscard]] virtual std::vector<std::string> variables() const = 0;
    // The request under way on this connection gets no answer until others do something.
    [[nodiscard]] virtual bool waits(const Connection& connection) = 0;
    // A request has been sent on this connection.
    virtual void asked(Connection& /*connection*/) {}
    // The connection has been closed: returns when the server has forgotten it.
    virtual void closed(const Connection& connection) = 0;
    // The processes that serve this connection have come to rest: they are asleep.
    [[nodiscard]] virtual bool rests(const Connection& connection) { return waits(connection); }
    // The same of all that it has.
    [[nodiscard]] virtual bool all_rest() { return true; }
    // The processes that serve this connection, not accused while they wait for a processor.
    [[nodiscard]] virtual std::vector<pid_t> processes(const Connection& /*connection*/) const {
        return {};
    }
    // Waits with a time limit of what serves this connection, by the time at which they end.
    [[nodiscard]] virtual std::vector<Sleeper> sleepers(const Connection& /*connection*/) const {
        return {};
    }
    // Puts back the state of the last keep(), or the empty state. Nobody is connected.
    virtual void reset() = 0;
    // Keeps the present state: every later reset puts it back. Nobody is connected.
    virtual void keep() = 0;
    // A command that waits from now on: when it gives up by itself, on the harness's clock. Never:
    // INT64_MAX.
    [[nodiscard]] virtual std::int64_t end_of_wait(const std::vector<std::string>& /*words*/) {
        return INT64_MAX;
    }
    // A caller has sent this command, of Redis.
    virtual void sees(const std::vector<std::string>& /*words*/) {}
    // Known after every reset from now on.
    virtual void add_script(const std::string& body) = 0;
    [[nodiscard]] virtual std::vector<KeyState> keys() = 0;
    // How often anything has been written until the last look at the keys, be it with what was
    // there before. 0 where the server does not count.
    [[nodiscard]] virtual std::uint64_t writes() const { return 0; }
    // Back to what it stored then.
    virtual void restore(const std::vector<KeyState>& keys) = 0;
    // The same from what it stores now; keys that do not differ are not touched.
    virtual void bring_to(const std::vector<KeyState>& /*now*/, const std::vector<KeyState>& keys) {
        restore(keys);
    }
    // Makes the server forget all that it keeps in memory beside its keys, as a restart does. The
    // caller of this closes the connections.
    virtual void forget_scripts() = 0;

    // Its wall clock is another one from now on.
    virtual void clock_set() {}
    // A new connection to it, which never blocks. Throws std::system_error or Misbehaved.
    [[nodiscard]] virtual int connect_upstream();
    // Closes the one that is open; returns when the server has forgotten it.
    virtual void close_upstream(Connection& connection);
    // The server has closed it: returns when it is known whether the server lives. Throws
    // Misbehaved.
    virtual void upstream_ended(const Connection& connection);
    // The clock has gone on.
    virtual void time_passed() {}
    // keys() are all that it stores.
    [[nodiscard]] virtual bool shows_all() const { return true; }
    // And when that ends by itself.
    [[nodiscard]] virtual bool shows_ends() const { return true; }
    // Time does not pass for it, but by force: it cannot be given a clock.
    [[nodiscard]] virtual bool runs_on_real_time() const { return false; }
    // Or it could, and none of its timers is ended all the same.
    [[nodiscard]] virtual bool stands_still() const { return false; }
    [[nodiscard]] virtual bool forces_ends() const { return false; }
};

// Throws ServerError where there is none, or none that starts.
// `is_replica`, of Redis: it refuses to be written, but by restore().
[[nodiscard]] std::unique_ptr<HeldServer> start_server(ServerKind kind, SharedMemory& memory,
                                                       std::size_t number = 0,
                                                       bool is_replica = false);

}  // namespace lockkeeper::wire
