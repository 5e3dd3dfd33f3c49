// SPDX-License-Identifier: Apache-2.0

// Sends a caller's operation to a program, and turns the answer into one for the ledger. Used by
// the runs of both levels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/world_config.hpp"
#include "validate/outside/source.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

// Begins a call and returns its msg_id. `at_once`: see TasksRun.
std::int64_t say_operation(Program& program, const WorldConfig& world, const std::string& client,
                           const Operation& operation,
                           const std::optional<BelievedHolding>& subject, bool at_once = false);
// Throws Misbehaved if the program does not know the operation, which is the scenario's fault.
void refuse_unsupported(const Message& answer, const std::string& word);
// Throws Misbehaved for an answer to somebody else, or of another type.
void refuse_stray(const Message& answer, const std::string& word, const std::string& client);
[[nodiscard]] Told told_by(const Message& answer, Verb verb);
// The end of a call that was told so, with its words for reports. `ends`: a belief.
[[nodiscard]] CallEnd call_end(const Told& told, Verb verb, bool ends);

// The clients of the final look: "probe", then "probe2" for the next place, and so on. A re-entrant
// lock would grant the same place to the same client again.
inline constexpr const char* kProbeName = "probe";
[[nodiscard]] inline std::string probe_name(std::size_t grants) {
    return kProbeName + (grants == 0 ? "" : std::to_string(grants + 1));
}
inline constexpr std::uint64_t kProbeStepsMax = 10'000;

}  // namespace lockkeeper
