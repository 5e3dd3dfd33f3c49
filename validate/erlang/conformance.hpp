// SPDX-License-Identifier: Apache-2.0

// The model of the canal lock and the original's table driven by the same schedules, one atomic
// step after the other. After each step this is compared:
//
//   did         what was done, the value that the ETS operation returned, what the call returned
//   table       every counter and `highest` of each key; gone with the manager
//   callers     which step each takes next, whether its reply has arrived, who is dead
//   references  how many the manager has of each caller and key
//   manager     its next step for the dead; idle: the first message of each caller in its mailbox
//
// Called by validate --server erlang. Errors: std::runtime_error where the node ends or does not
// answer.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scenarios/find_files.hpp"
#include "validate/erlang/node.hpp"
#include "validate/servers/compared_server.hpp"

namespace lockkeeper::erlang {

// Its steps take microseconds: longer schedules, and more of them to make a difference small.
[[nodiscard]] inline databases::ComparisonLimits comparison_limits() {
    return {.steps_max = 200, .shrinks_max = 2000, .shrink_passes_max = 8};
}

[[nodiscard]] std::variant<std::unique_ptr<databases::ComparedServer>, NoNode> start_node(
    const std::vector<SourceFile>& files = sources());

// The node, or the database server, of this name (RealServer::name). Waits for a database server at
// most `seconds_max`.
[[nodiscard]] std::variant<std::unique_ptr<databases::ComparedServer>, databases::NoServer>
start_server(const std::string& name, int seconds_max);

// The shipped scenarios that a comparison takes where none are named: all of systems that have such
// a server. For a database this includes those of the other database, which are not expressible.
[[nodiscard]] std::vector<InputFile> shipped_scenarios(const Registry& registry,
                                                       const std::string& server);

}  // namespace lockkeeper::erlang
