// SPDX-License-Identifier: Apache-2.0

// The run that explains an incident's logs, searched in the steps of a program of the protocol
// (`explain --program`). Used by save_incident.cpp.
#pragma once

#include "scenarios/registry/registry.hpp"
#include "work/incident.hpp"

namespace lockkeeper {

// A program has places, the length of a lease and renewals: incident_scenario may say them.
[[nodiscard]] const RegisteredSystem& program_in_incidents();

// Starts the program and searches its runs. BadInput: the scenario is none for a program, or the
// program misbehaves. A limit of time makes the answer incomplete.
[[nodiscard]] WantedRun find_program_run(const IncidentProgram& program,
                                         const IncidentScenario& made);

}  // namespace lockkeeper
