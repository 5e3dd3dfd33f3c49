// SPDX-License-Identifier: Apache-2.0

// Options of the clients of both monglock locks, and how long virtual time lasts for them.
#pragma once

#include <string>
#include <vector>

#include "impl/monglock/monglock_words.hpp"

namespace lockkeeper::monglock {

// The time-out of what is not given one: it never becomes old.
inline constexpr std::int32_t kNeverOld = 2 * kInstantMax;

struct ClientSideOptions {
    std::int32_t grace = 0;       // own_deadline: the holder gives up so much earlier
    std::int32_t pause_most = 0;  // own_deadline: and notices it at most so much later
    std::int32_t jump = 1;        // how far a clock jumps
    std::int32_t timeout = 0;     // of one database operation; 0: what fails is told at once
    bool majority = false;        // w: a fail-over forgets only what nobody has acknowledged
    bool boom = false;            // errors are wrapped
    bool exists = true;           // the documents, at the beginning
    Budgets faults{};
    std::vector<Client> clients;
    std::vector<std::string> keys{"doc"};
    std::int32_t time_unit = 1;  // of the scenario's times in one of this lock's
};

// Beyond it there are no numbers for what a client's clock shows.
[[nodiscard]] Instant end_of_time(const ClientSideOptions& options);

}  // namespace lockkeeper::monglock
