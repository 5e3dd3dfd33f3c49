// SPDX-License-Identifier: Apache-2.0

// A pooler, such as PgBouncer, between the callers and the held PostgreSQL. The scenario names its
// command; it runs as the server's user, with the harness's clock, and listens at {dir} as
// PostgreSQL would at port 5432. libpq's variables name the server behind it.
//
// Sessions are the pooler's own: who waits is known where the pooler and all processes of the
// server are asleep. Its own time-outs never end. It is started anew for each run.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "validate/wire/held_server.hpp"

namespace lockkeeper::wire {

// The server behind it.
class BehindPool : public HeldServer {
  public:
    [[nodiscard]] virtual pid_t root() const = 0;             // the process above all others
    [[nodiscard]] virtual std::string directory() const = 0;  // of its socket
    // The processes of the sessions that are not the harness's.
    [[nodiscard]] virtual std::vector<pid_t> sessions() const = 0;
    // Ends all of them; returns when they are gone with their locks.
    virtual void end_sessions() = 0;
};

// Throws ServerError or databases::DatabaseError where there is none, or none that starts.
[[nodiscard]] std::unique_ptr<BehindPool> start_postgresql(SharedMemory& memory);

// Throws as well BadInput where the command starts no pooler in time.
[[nodiscard]] std::unique_ptr<HeldServer> start_pool(SharedMemory& memory, std::string command,
                                                     double answer_seconds);

}  // namespace lockkeeper::wire
