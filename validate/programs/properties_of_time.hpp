// What a lock with a time limit can only break while time passes. Both levels ask before they say
// "passed" of grants whose end nobody saw.
#pragma once

#include <string>

#include "validate/programs/outside_world.hpp"

namespace lockkeeper {

// "P1 over-allocation, P17 belief-overlap", of what is checked; empty: nothing of it is checked.
[[nodiscard]] std::string properties_of_time(const OutsideWorld& world);

}  // namespace lockkeeper
