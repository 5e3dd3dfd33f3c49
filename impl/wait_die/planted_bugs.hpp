// SPDX-License-Identifier: Apache-2.0

// The planted bug of the wait-die lock (impl/planted_bug.hpp).
#pragma once

#include "impl/planted_bug.hpp"
#include "impl/wait_die/wait_die_lock.hpp"

namespace lockkeeper::wait_die {

[[nodiscard]] inline PlantedBugs<Options> wait_die_bugs() {
    static constexpr PlantedBugs<Options>::value_type kBugs[] = {
        {"younger_waits", "deadlock", "who began later waits, too",
         [](Options& options) { options.younger_waits = true; }},
    };
    return kBugs;
}

}  // namespace lockkeeper::wait_die
