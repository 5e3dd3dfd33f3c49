// SPDX-License-Identifier: Apache-2.0

// A scenario with other numbers of callers: what "any number of each" is made of
// (scheduler/search/proofs).
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/registry/registry.hpp"
#include "scheduler/proofs/replicated_world.hpp"

namespace lockkeeper {

// To be explored: so many callers of each kind, scripts that go on for ever, as many crashes as
// callers where there is any. As a file of it would be read.
[[nodiscard]] std::variant<Scenario, InputError> replicated(
    const Scenario& scenario, const std::vector<const Property*>& check,
    const std::vector<std::size_t>& counts);

// The World of any number of callers, taken apart: of the system, or of what is proved in its place
// (RegisteredSystem::make_by_record). InputError: it fits no compiled size, or not that. Throws
// proofs::DoesNotFit.
[[nodiscard]] std::variant<proofs::ReplicatedWorld, InputError> take_apart(
    const Registry& registry, const Scenario& scenario, const std::vector<const Property*>& check);

}  // namespace lockkeeper
