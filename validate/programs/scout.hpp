// SPDX-License-Identifier: Apache-2.0

// A short look at a program, at the level of its options, before scenarios are chosen for it: one
// caller acquires, renews and releases, undisturbed; then two ask for one of two places each. Used
// by app/ where nobody has named a scenario.
#pragma once

#include "validate/programs/program.hpp"

namespace lockkeeper {

struct Scouted {
    std::int64_t lease_time = 0;  // 0: a grant has no end; ticks, or milliseconds
    bool renews = true;           // it knows the word "renew"
    bool has_one_place = false;   // the second is refused, or waits, or spins
};

// Ignores whatever else goes wrong: the search that follows will meet it.
[[nodiscard]] Scouted scout(ProgramOptions options, const StopRule& stop);

}  // namespace lockkeeper
