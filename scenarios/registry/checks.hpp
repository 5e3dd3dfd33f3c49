// SPDX-License-Identifier: Apache-2.0

// Finds what the "check" and "reach" of a scenario name. Registry::understand asks once and keeps
// the answer in Understood, where everybody else reads it. A program of somebody else's has no
// registered system: `for_program` asks for itself.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// "all" and "safety" written out. Names that do not exist or do not apply to what the system shows
// (`features`) are an error.
[[nodiscard]] std::variant<std::vector<const Property*>, InputError> properties_to_check(
    const Scenario& scenario, std::uint32_t features);
[[nodiscard]] std::variant<std::vector<const Property*>, InputError> goals_to_reach(
    const Scenario& scenario);

// For a lock that shows less than its system can: a check that the scenario names is an error, a
// check of a group is left out.
[[nodiscard]] std::optional<InputError> leave_out_what_is_not_shown(std::uint32_t features,
                                                                    Understood& understood);

}  // namespace lockkeeper
