// SPDX-License-Identifier: Apache-2.0

// A scenario made ready to be put to a program, and what the harness keeps of its numbers for
// itself. Throws BadInput; for what only a flag makes wrong UsageError, which names the flag.
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
    Scenario scenario;  // with the numbers that are put to it: what a trace is written with
};

// The program's parameters: by --set, instead of the scenario's. `is_check_of_flag`: its properties
// are of --check.
[[nodiscard]] ProgramScenario for_program(Scenario scenario, ProgramOptions program,
                                          bool is_check_of_flag);

// Of what the scenario, or a flag, asks, what `judged` can be judged from outside. Throws where
// that is nothing.
[[nodiscard]] std::vector<const Property*> properties_of(const Scenario& scenario, bool is_of_flag,
                                                         bool (*judged)(const Property&));
// Which of them a pass has to have decided: see OutsideWorld::asked.
void take_asked(const Scenario& scenario, bool is_of_flag, bool (*judged)(const Property&),
                OutsideWorld& out);
// Its rate limit, whose times are so many of the run's units. Throws where it and the rest of the
// scenario cannot both hold.
void take_rate_limit(const Scenario& scenario, std::int64_t units, OutsideWorld& out);
// Goals that can be seen from outside, and the others.
void take_goals(const Scenario& scenario, ProgramScenario& out);

// How many places its acquires ask for; nothing: not always as many.
[[nodiscard]] std::optional<std::uint32_t> places_asked_for(const WorldConfig& world);
// What the scenario itself says of its histories: a lease where there is a ttl, else by the
// capacity of the acquires.
[[nodiscard]] std::string model_of(const ProgramScenario& scenario);

}  // namespace lockkeeper
