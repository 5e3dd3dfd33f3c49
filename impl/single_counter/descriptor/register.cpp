// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "impl/single_counter/single_counter.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {
namespace {

using Size = WorldSize<8, 4, std::uint16_t, std::uint16_t, 4>;
using Lock = single_counter::SingleCounter<Size>;
// For sampling: nobody explores so many.
using ThrongSize = WorldSize<128, 1, std::uint8_t, std::uint8_t, 1>;
using ThrongLock = single_counter::SingleCounter<ThrongSize>;

single_counter::Options options_of(const Scenario& scenario) {
    single_counter::Options options;
    options.max_decr_tries = scenario.parameters.max_decr_tries;
    options.keys = scenario.world.keys;
    for (const std::string& key : options.keys) {
        const auto table = scenario.parameters.tables.find(key);
        const bool given =
            table != scenario.parameters.tables.end() && !table->second.buckets.empty();
        options.initial.push_back(given ? table->second.buckets.front() : 0);
    }
    std::set<std::uint32_t> capacities;
    for (const CallerConfig& caller : scenario.world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb != Verb::kAcquire) {
                continue;
            }
            capacities.insert(operation.capacity());
            for (const std::uint16_t view : scenario.world.views) {
                if (operation.follows_resizes) {
                    capacities.insert(static_cast<std::uint32_t>(operation.place_capacity) * view);
                }
            }
        }
    }
    if (!capacities.empty()) {
        options.capacities.assign(capacities.begin(), capacities.end());
    }
    return options;
}

template <class SizedLock>
RegisteredSystem of_size(std::size_t locks) {
    Vocabulary words;
    words.format_keys = {FormatKey::kPlaces, FormatKey::kTable, FormatKey::kMaxDecrTries};
    return registered({"single_counter", "faithful",
                       "the one counter per key that canal lock replaced", "", words},
                      [](const Scenario& scenario) { return SizedLock(options_of(scenario)); },
                      {.locks = locks});
}

}  // namespace

void register_single_counter(Registry& registry) {
    RegisteredSystem system = of_size<Lock>(65'534);
    const RegisteredSystem throng = of_size<ThrongLock>(254);
    system.sizes.push_back(throng.sizes.front());
    system.make = [few = system.make, many = throng.make](const Scenario& scenario) {
        return scenario.world.callers.size() > Size::kCallers ? many(scenario) : few(scenario);
    };
    registry.add(std::move(system));
}

}  // namespace lockkeeper
