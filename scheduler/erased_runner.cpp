// SPDX-License-Identifier: Apache-2.0

// All searches, compiled once for the systems that do not bring their own (see own_lock.hpp).
#include "scheduler/erased_runner.hpp"

#include "scheduler/system_runner.hpp"

namespace lockkeeper {

std::unique_ptr<Runner> make_erased_runner(ErasedSystem system, MakeWalker walkers,
                                           const WorldConfig& world, std::uint32_t features) {
    return std::make_unique<SystemRunner<ErasedSystem>>(std::move(system), world, features,
                                                        std::move(walkers));
}

}  // namespace lockkeeper
