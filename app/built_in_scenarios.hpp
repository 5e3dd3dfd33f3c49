// The scenarios that `validate --program` has itself. Used by validate_program.cpp only.
#pragma once

#include <span>
#include <string>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct BuiltInScenario {
    const char* name;
    bool of_leases;  // for locks whose grants have an end
    bool renews;
    const char* text;
};

[[nodiscard]] std::span<const BuiltInScenario> built_in_scenarios();
[[nodiscard]] const BuiltInScenario* built_in_named(const std::string& name);

// How far the clock has to go on at once for the grants of this length to end in a few ticks.
[[nodiscard]] std::int64_t tick_width_for(std::int64_t lease_ticks);
// The same scenario in ticks of this width.
void widen_ticks(Scenario& scenario, std::int64_t tick_width);

}  // namespace lockkeeper
