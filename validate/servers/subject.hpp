// SPDX-License-Identifier: Apache-2.0

// The subject that drives model and server alike: the model of a scenario, and what a server has to
// know of the scenario. All numbers are those that the system understood (Registry::understand).
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/world_config.hpp"
#include "validate/servers/compared_server.hpp"
#include "validate/servers/private_server.hpp"

namespace lockkeeper::databases {

struct SubjectKey {
    std::string name;               // of the scenario
    std::string hashed;             // the name that is hashed to the id of the lock
    bool other_byte_order = false;  // than this host's, when the hash becomes the id
    bool row = false;               // InnoDB: the row is there already
    bool shared = false;            // PostgreSQL: the shared mode of the lock
    std::size_t database = 0;       // each has its own ids
};

struct SubjectClient {
    bool repeatable_read = false;
    bool rescues = false;        // its block goes on after an error, and ends normally
    bool session_level = false;  // pooled: pg_advisory_lock
    bool tries = false;          // pooled: pg_try_advisory_...
    bool reconnects = false;     // inside of a block, too
};

// For lease_db. Units of virtual time are milliseconds.
struct SubjectLeases {
    std::vector<std::chrono::milliseconds> ttls;  // of each client
    std::vector<std::int32_t> drifts;             // of their timers, thousandths
    std::chrono::milliseconds grace{0};           // own_deadline: given up so much earlier
    std::chrono::milliseconds jump{0};            // of the database's clock
    bool takes_time = false;                      // the answer to an acquire is a step of its own
    bool calls = false;                           // asynchronous calls on top
    bool retries = false;
    bool singleton = false;                // nobody looks at what a renewal says
    bool reaped_by_task = false;           // only a caller reaps
    bool oldest_first = false;             // of all calls that are pending
    std::vector<std::size_t> controllers;  // of each client; 0: none
};

struct Subject {
    ErasedSystem system;
    WorldConfig world;
    Engine engine = Engine::kPostgresql;
    std::vector<SubjectKey> keys;
    std::vector<SubjectClient> clients;
    std::set<std::string> repairs;  // that are on, by name
    std::size_t connections = 0;    // of the pool; 0: each caller has its own
    std::size_t databases = 1;
    std::optional<SubjectLeases> leases;  // instead of transactional locks

    [[nodiscard]] bool has(const char* repair) const { return repairs.count(repair) != 0; }
    [[nodiscard]] bool calls(const char* word) const {
        for (const std::string& known : world.words) {
            if (known == word) {
                return true;
            }
        }
        return false;
    }
};

// `runner`: made of what was understood. Throws NotExpressible.
[[nodiscard]] Subject make_subject(const Understood& understood, const Runner& runner,
                                   Engine engine);

}  // namespace lockkeeper::databases
