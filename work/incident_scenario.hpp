// SPDX-License-Identifier: Apache-2.0

// A run that explains logs as a scenario of a lock's own steps: scripts that sleep until the times
// of the run and make its calls. Used by save_incident.cpp.
//
// Errors: BadInput where the run has no such scenario, with the reason.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "scenarios/registry/registry.hpp"
#include "work/incident_operations.hpp"
#include "work/wanted_run.hpp"

namespace lockkeeper {

struct IncidentScenario {
    nlohmann::ordered_json document;      // a scenario without method and expectation
    std::vector<WantedOperation> wanted;  // in the order of the run
    std::vector<std::size_t> shown;       // of each of these, its number in `operations`
    std::vector<IncidentOperation> operations;
    IncidentTimes times;
    bool has_times = false;    // scripts sleep; false: only the order of the run is kept
    bool is_part = false;      // of a longer run, around the first effect without the lock
    std::size_t left_out = 0;  // operations that the lock has no call for
};

// The lock whose steps a run of this model is written with, unless somebody names another.
[[nodiscard]] std::string system_for(const ModelChoice& model, const logs::LockAnswer& answer);

// Takes the run that explains the lines; where there is none, the lines themselves.
[[nodiscard]] IncidentScenario incident_scenario(const RegisteredSystem& system,
                                                 const ModelChoice& model,
                                                 const logs::LockAnswer& answer);

}  // namespace lockkeeper
