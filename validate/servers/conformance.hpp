// SPDX-License-Identifier: Apache-2.0

// Model and server driven by the same schedules, statement by statement. After each step both are
// at rest, and this is compared:
//
//   of each caller   its statement was done, failed with which error, or waits for a lock;
//                    COMMIT committed, or was a roll-back (PostgreSQL says which); a try was
//                    refused
//   of each key      the committed writes; PostgreSQL: how long its line is; InnoDB: whether its
//                    row is there
//   of a read        under the lock and not stale in the model: what was committed last
//
// For leases (lease_clients.hpp), whose time is virtual on the server, too:
//
//   of each caller   what its client makes of the answers; of a renewal, when its answer arrives
//   of each key      its row as committed: whose, until when, expired or not; its call's states
//
// The first difference is made small (compared_server.hpp). A run in which the machine was too slow
// for the real timers is repeated with a larger unit of time, and counts as inconclusive in the
// end. So does a comparison of no steps.
//
// Called by validate --server. Errors: DatabaseError, UnknownStep.
#pragma once

#include <memory>
#include <variant>

#include "validate/servers/compared_server.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper::databases {

// Waits for the server at most `seconds_max`.
[[nodiscard]] std::variant<std::unique_ptr<ComparedServer>, NoServer> start_database(
    Engine engine, int seconds_max);

}  // namespace lockkeeper::databases
