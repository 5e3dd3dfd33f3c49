// SPDX-License-Identifier: Apache-2.0

// A scenario in the words of its system: calls become the implementation's numbers, numbers that
// the scenario leaves out get their defaults, the repairs that are on are named, and what the
// system does not know is refused.
#pragma once

#include <variant>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// `variants`: all of the system.
[[nodiscard]] std::variant<Scenario, InputError> in_the_words_of(
    const RegisteredSystem& system, Scenario scenario, const std::vector<std::string>& variants);

}  // namespace lockkeeper
