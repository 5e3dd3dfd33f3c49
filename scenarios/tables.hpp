// SPDX-License-Identifier: Apache-2.0

// The parts of the table of keys. For fields.cpp.
#pragma once

#include <vector>

#include "scenarios/fields.hpp"
#include "scenarios/outside_lock.hpp"

namespace lockkeeper {

inline constexpr std::size_t kNamesMax = 64;  // of a list of properties or goals

// The fields of each object are written and read in the order of these tables: what a field means
// may depend on those before it.
[[nodiscard]] std::vector<Field> table_of_top_level();
[[nodiscard]] std::vector<Field> table_of_objects();  // parameters, faults, server ...
[[nodiscard]] std::vector<Field> table_of_expect();

inline constexpr Condition kExploring{
    [](const Scenario& scenario) { return scenario.method == Method::kExplore; },
    "\"method\": \"explore\" only"};
inline constexpr Condition kInOrder{
    [](const Scenario& scenario) { return scenario.method == Method::kOrder; },
    "\"method\": \"order\" only"};
inline constexpr Condition kReplaying{
    [](const Scenario& scenario) { return scenario.method == Method::kReplay; },
    "\"method\": \"replay\" only"};
inline constexpr Condition kOutside{
    [](const Scenario& scenario) { return is_outside_lock(scenario.system); },
    "\"system\": \"program\", \"wire\" or \"outside\" only"};
inline constexpr Condition kOneRun{
    [](const Scenario& scenario) { return kInOrder.holds(scenario) || kReplaying.holds(scenario); },
    "\"method\": \"order\" or \"replay\" only"};

}  // namespace lockkeeper
