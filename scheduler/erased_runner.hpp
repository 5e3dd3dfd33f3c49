// SPDX-License-Identifier: Apache-2.0

// The runner of a System whose type is erased: what a registered lock costs the compiler is its
// World alone, and its walkers (a random run is the one inner loop that each system compiles for
// itself).
#pragma once

#include <memory>

#include "model/erased_system.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {

[[nodiscard]] std::unique_ptr<Runner> make_erased_runner(ErasedSystem system, MakeWalker walkers,
                                                         const WorldConfig& world,
                                                         std::uint32_t features);

}  // namespace lockkeeper
