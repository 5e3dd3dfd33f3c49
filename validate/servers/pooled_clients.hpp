// The baselines on PostgreSQL: callers that take a connection from a pool, lock with one statement,
// and put the connection back. Made by make_clients (server_clients.hpp).
#pragma once

#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {

[[nodiscard]] std::unique_ptr<ServerClients> make_pooled_clients(const Subject& subject,
                                                                 PrivateServer& server);

}  // namespace lockkeeper::databases
