// SPDX-License-Identifier: Apache-2.0

// Times that are larger than a system's numbers. A system counts time in 16 bits, people write
// milliseconds. Where the times of a scenario do not fit, or may add up to more than there is, they
// are divided by the smallest number that divides all of them and with which they fit; the system
// tells times multiplied by it. Time then stops one such unit before and after a deadline. Times
// that have no such number are refused with their place; times that grow beyond the numbers all the
// same meet a limit (model/virtual_time.hpp). Clients' clocks that could jump back to before the
// first number are counted in a unit, too, or refused: nothing is cut off.
//
// A scenario whose times fit otherwise is counted as it is written: its states, lengths and
// schedules do not depend on this.
#pragma once

#include <variant>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// Takes a scenario that is understood. ScenarioParameters::time_unit says what its times were
// divided by. A system that does not say which of its numbers are times gets them as they are.
[[nodiscard]] std::variant<Scenario, InputError> with_times_that_fit(const Vocabulary& words,
                                                                     const Scenario& scenario);

// Whether a value beyond the bounds of the number may be within them in some unit.
[[nodiscard]] bool may_fit_in_a_unit(const Vocabulary& words, const OwnNumber& number,
                                     std::int32_t value);

}  // namespace lockkeeper
