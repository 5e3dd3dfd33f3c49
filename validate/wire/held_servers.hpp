// SPDX-License-Identifier: Apache-2.0

// The servers of a Wire, as its settings name them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "validate/wire/wire.hpp"

namespace lockkeeper::wire {

// At least one. Throws what start_server(), start_pool() and the constructors of TcpServer and
// FilesServer throw.
[[nodiscard]] std::vector<std::unique_ptr<HeldServer>> start_servers(const WireSettings& settings,
                                                                     SharedMemory& memory);

// The variables of the first server; with several, also the lists of all: "REDIS_URLS=...,...";
// with replicas, which are the last ones, also those of the first of them: "REDIS_REPLICA_URL=...".
[[nodiscard]] std::vector<std::string> variables_of(
    const std::vector<std::unique_ptr<HeldServer>>& servers, std::size_t replicas);

}  // namespace lockkeeper::wire
