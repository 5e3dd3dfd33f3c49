// SPDX-License-Identifier: Apache-2.0

// A scenario ready for a program, and the numbers that the harness keeps for itself. Throws
// BadInput; throws UsageError, which names the flag, for a mistake that only a flag makes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

struct ProgramScenario {
    ProgramOptions program;  // with the callers, keys and numbers of the scenario
    OutsideWorld world;
    std::vector<const Property*> reach;   // goals that can be seen from outside
    std::vector<const Property*> unseen;  // the others
    Scenario scenario;  // with the numbers given to the program, as a trace file writes it
};

// `program.parameters` (--set) replace those of the scenario. `is_check_of_flag`: --check names the
// properties.
[[nodiscard]] ProgramScenario for_program(Scenario scenario, ProgramOptions program,
                                          bool is_check_of_flag);

// The properties asked for by the scenario, or by a flag, that can be judged from outside
// (`judged`). Throws if there is none.
[[nodiscard]] std::vector<const Property*> properties_of(const Scenario& scenario, bool is_of_flag,
                                                         bool (*judged)(const Property&));
// Notes the properties that a pass must have decided: see OutsideWorld::asked.
void take_asked(const Scenario& scenario, bool is_of_flag, bool (*judged)(const Property&),
                OutsideWorld& out);
// Takes the scenario's rate limit; one unit of its time is `units` of the run. Throws if the limit
// contradicts the rest of the scenario.
void take_rate_limit(const Scenario& scenario, std::int64_t units, OutsideWorld& out);
// Sorts goals into those that can be seen from outside and the others.
void take_goals(const Scenario& scenario, ProgramScenario& out);

// The number of places that acquires ask for; nothing: it is not always the same.
[[nodiscard]] std::optional<std::uint32_t> places_asked_for(const WorldConfig& world);
// The model of histories by the scenario: a lease where there is a ttl, else by the capacity of the
// acquires.
[[nodiscard]] std::string model_of(const ProgramScenario& scenario);

}  // namespace lockkeeper
