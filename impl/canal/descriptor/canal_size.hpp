// SPDX-License-Identifier: Apache-2.0

// A canal lock of one size, with its searches: what takes the compiler long.
#pragma once

#include "impl/canal/canal_lock.hpp"
#include "impl/canal/descriptor/compiled_size.hpp"
#include "model/world.hpp"
#include "scheduler/erased_runner.hpp"
#include "scheduler/runs/learned_walks.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {

template <class Size>
std::unique_ptr<Runner> run_canal(const canal::CanalOptions& options, const WorldConfig& world) {
    const canal::CanalLock<Size> lock(options);
    const World<canal::CanalLock<Size>> system(lock, world);
    if constexpr (Size::kSearches == canal::SizeSearches::kOwn) {
        return std::make_unique<SystemRunner<World<canal::CanalLock<Size>>>>(system, world,
                                                                             lock.features());
    } else {
        return make_erased_runner(ErasedSystem(system), learned_walkers_of(system), world,
                                  lock.features());
    }
}

}  // namespace lockkeeper
