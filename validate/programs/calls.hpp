// SPDX-License-Identifier: Apache-2.0

// Sends a caller's operation to a program, and turns the answer into one for the ledger. Used by
// the runs of both levels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/world_config.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

// Begins a call and returns its msg_id.
std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject);
// Throws Misbehaved if the program does not know the operation, which is the scenario's fault.
void refuse_unsupported(const Message& answer, const std::string& word);
// Throws Misbehaved for an answer to somebody else, or of another type.
void refuse_stray(const Message& answer, const std::string& word, const std::string& client);
[[nodiscard]] Told told_by(const Message& answer, Verb verb);

}  // namespace lockkeeper
