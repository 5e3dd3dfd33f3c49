// SPDX-License-Identifier: Apache-2.0

// Times that are divided by a unit (time_units.hpp) leave out the instants between its multiples.
// That changes nothing where times differ by many units. Where they differ by few, an instant
// beside one deadline is another deadline, and a violation between the two is not seen: a search
// that finds nothing there is not complete.
#pragma once

#include <memory>
#include <string>

#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

// Returns the limit that ends such a search; empty: no instant that matters is left out.
[[nodiscard]] std::string instants_left_out(const Vocabulary& words, const Scenario& scenario);

// The limit that with_limit_of_time has given a runner; empty: none.
[[nodiscard]] std::string limit_of_time(const Runner& runner);

// The same runner, whose searches end by that limit where they would be complete.
[[nodiscard]] std::unique_ptr<Runner> with_limit_of_time(const Vocabulary& words,
                                                         const Scenario& scenario,
                                                         std::unique_ptr<Runner> runner);

}  // namespace lockkeeper
