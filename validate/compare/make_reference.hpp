// SPDX-License-Identifier: Apache-2.0

// Makes the reference of a candidate from its scenario and a system of the registry, and chooses
// how the two are compared. Throws BadInput where they cannot be compared.
#pragma once

#include <map>

#include "model/erased_system.hpp"
#include "scenarios/registry/registry.hpp"
#include "validate/compare/against.hpp"

namespace lockkeeper::against {

// Behaviour of a reference that whole calls cannot show: a clock of its own, and a background that
// decides the answers to calls though nobody has died (a timer that takes a lock away). Random
// walks find it, as far as they go: kWalks walks of at most kWalkStepsMax steps. Where nobody is
// inside of a call, and the background has something to do, each caller's next call is made with
// the background before it and without.
struct Timers {
    bool has_time = false;    // virtual time goes on in its runs
    bool acts_alone = false;  // its background decides what calls of the living are answered
};

[[nodiscard]] Timers timers_of(const ErasedSystem& system);

// How the two are compared.
struct Way {
    bool has_clock = false;
    bool has_server = false;  // calls wait in line
    bool step_by_step = false;
    bool is_variant = false;
};

[[nodiscard]] bool has_faults(const Scenario& scenario);

// `own`: the candidate's system; null: a program. Faults beside crashes are one system's own:
// between others they are taken out of the scenario.
[[nodiscard]] Way way_of(Scenario& scenario, const RegisteredSystem* own,
                         const RegisteredSystem& reference);

// The registry must outlive it. `candidate`: its behaviour that whole calls cannot show.
[[nodiscard]] Reference make_reference(const Registry& registry, Scenario scenario,
                                       const RegisteredSystem& reference, const Way& way,
                                       const Timers& candidate);

// A reference with a clock takes those of a program's numbers that it knows; another takes none.
void keep_known(const RegisteredSystem& reference, const std::map<std::string, std::int32_t>& given,
                ScenarioParameters& parameters);

}  // namespace lockkeeper::against
