// SPDX-License-Identifier: Apache-2.0

// The run that explains an incident's logs is used: `--save` writes it as a scenario of a lock's
// own steps, which `lockkeeper run` replays; `--variant` asks another lock whether the same
// can happen there. Called by app/ for each answer of `lockkeeper explain`.
//
// Errors: UsageError for a system or variant that there is not; BadInput where the run is none of
// the system's; OutputError where the file cannot be written.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "scheduler/base/output_file.hpp"
#include "validate/logs/command.hpp"

namespace lockkeeper {

struct IncidentAsked {
    std::string system;                  // "canal/faithful"; empty: by the model
    OutputClaim* save = nullptr;         // null: the run is not written
    std::optional<std::string> variant;  // "repaired", "lease_db/repaired"
    std::function<bool()> stop;          // null: nobody interrupts
};

// The text for people; empty: nothing was asked.
[[nodiscard]] std::string ask_incident(const Registry& registry, const IncidentAsked& asked,
                                       const logs::ToldAnswer& told);

// How a scenario file that --save has written begins, and one that may be replaced.
inline constexpr const char* kIncidentMark = "{\n    \"version\": 1,\n    \"about\": \"Incident: ";

}  // namespace lockkeeper
