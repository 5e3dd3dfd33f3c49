// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the transactional locks and their baselines (impl/planted_bug.hpp).
#pragma once

#include "impl/planted_bug.hpp"
#include "impl/transactional/pooled_lock.hpp"
#include "impl/transactional/transaction_server.hpp"

namespace lockkeeper::transactional {

[[nodiscard]] PlantedBugs<ServerOptions> server_bugs();  // of both servers
[[nodiscard]] PlantedBugs<ServerOptions> innodb_bugs();  // of InnoDB alone
// Bugs of the session-level lock through a pool: one is planted in the faithful variant, the others
// in the repaired one, because the faithful one leaks.
[[nodiscard]] PlantedBugs<PooledOptions> session_lock_bugs();
[[nodiscard]] PlantedBugs<PooledOptions> session_pool_bugs();
[[nodiscard]] PlantedBugs<PooledOptions> try_retry_bugs();

}  // namespace lockkeeper::transactional
