// SPDX-License-Identifier: Apache-2.0

// The held MariaDB, for start_server (held_server.hpp).
#pragma once

#include <memory>

#include "validate/wire/held_server.hpp"

namespace lockkeeper::wire {

// Throws ServerError or databases::DatabaseError where there is none, or none that starts.
[[nodiscard]] std::unique_ptr<HeldServer> start_mariadb(SharedMemory& memory);

}  // namespace lockkeeper::wire
