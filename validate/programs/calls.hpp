// SPDX-License-Identifier: Apache-2.0

// How a caller's operation is put to a program, and what its answer tells the ledger. Used by the
// runs of both levels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/world_config.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

// Begins a call; its msg_id.
std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject);
// An operation that the program does not know is nobody's fault but the scenario's: throws
// Misbehaved.
void refuse_unsupported(const Message& answer, const std::string& word);
// Throws Misbehaved: an answer to somebody else, or of another type.
void refuse_stray(const Message& answer, const std::string& word, const std::string& client);
[[nodiscard]] Told told_by(const Message& answer, Verb verb);

}  // namespace lockkeeper
