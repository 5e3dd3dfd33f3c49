// SPDX-License-Identifier: Apache-2.0
#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "impl/canal/planted_bugs.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {

void add_planted_canal_bugs(Registry& registry) {
    using Lock = broken::PlantedCanal;
    for (const auto& bug : broken::kCanalBugs) {
        const auto make = [plant = bug.plant](const Scenario& scenario) {
            return plant(canal_options(scenario, canal::kNoRepair));
        };
        register_lock(registry, with_bug(canal_description(), "canal_broken", bug), make,
                      {.buckets = Lock::Size::kBuckets, .max_per = 100, .locks = 14});
    }
}

}  // namespace lockkeeper
