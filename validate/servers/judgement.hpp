// SPDX-License-Identifier: Apache-2.0

// Whether the server shows what the model says, both at rest: statements, lines, rows, reads. What
// is compared is listed in conformance.hpp, which calls it. No errors.
#pragma once

#include <optional>
#include <string>

#include "validate/servers/server_clients.hpp"

namespace lockkeeper::databases {

struct Mismatch {
    std::string model;
    std::string server;
};

struct StatementKind {
    bool is_commit_on_pg = false;  // whose tag says whether it was a roll-back
    bool tries = false;            // of a caller who does not wait for the lock: f is "refused"
};

// Whether the statement of one caller stands as the model says.
[[nodiscard]] bool agrees(const Expected& expected, const Observed& seen, StatementKind kind);

// Nothing: they agree. `done`: the step that both have just taken.
[[nodiscard]] std::optional<Mismatch> judge(const Subject& subject, const ServerClients& clients,
                                            const Candidate& candidate, const Advance& done,
                                            const ServerView& view);

// Each key's row and calls, as the model shows them.
[[nodiscard]] std::vector<LeaseView> leases_of_model(const Subject& subject,
                                                     const Candidate& candidate);
// For leases: compares each key's row, and the states of its calls.
[[nodiscard]] std::optional<Mismatch> judge_leases(const Subject& subject,
                                                   const Candidate& candidate,
                                                   const ServerView& view);

}  // namespace lockkeeper::databases
