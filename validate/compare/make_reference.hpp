// SPDX-License-Identifier: Apache-2.0

// What a candidate is compared with, made from its scenario and a system of the registry, and how.
// Throws BadInput for what cannot be compared.
#pragma once

#include <map>

#include "scenarios/registry/registry.hpp"
#include "validate/compare/against.hpp"
#include "validate/compare/timers.hpp"

namespace lockkeeper::against {

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

// The registry must outlive it. `candidate`: what of it whole calls cannot show.
[[nodiscard]] Reference make_reference(const Registry& registry, Scenario scenario,
                                       const RegisteredSystem& reference, const Way& way,
                                       const Timers& candidate);

// Of a program's numbers the reference takes those that it knows, where it has a clock; else none.
void keep_known(const RegisteredSystem& reference, const std::map<std::string, std::int32_t>& given,
                ScenarioParameters& parameters);

}  // namespace lockkeeper::against
