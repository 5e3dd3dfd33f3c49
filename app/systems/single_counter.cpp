#include "impl/single_counter/single_counter.hpp"

#include <set>

#include "app/systems/shipped.hpp"
#include "model/world.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {
namespace {

using Size = WorldSize<8, 4, std::uint16_t, std::uint16_t, 4>;
using Lock = single_counter::SingleCounter<Size>;

MadeRunner make_single_counter(const Scenario& scenario) {
    const auto fail = [&](std::string pointer, std::string message) {
        return InputError{scenario.file, std::move(pointer), std::move(message)};
    };
    const Needs needs = needs_of(scenario);
    const Needs compiled{Size::kCallers, Size::kKeys, 99, 250, 65'535, 65'534, Size::kRemembered};
    if (!fits(needs, compiled)) {
        return fail("", "does not fit the compiled size: needs " + text_of(needs) +
                            "; compiled: " + text_of(compiled));
    }
    single_counter::Options options;
    options.max_decr_tries = scenario.parameters.max_decr_tries;
    options.keys = scenario.world.keys;
    for (const std::string& key : options.keys) {
        const auto table = scenario.parameters.tables.find(key);
        const bool given = table != scenario.parameters.tables.end() &&
                           !table->second.buckets.empty();
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
                    capacities.insert(static_cast<std::uint32_t>(operation.max_per) * view);
                }
            }
        }
    }
    if (!capacities.empty()) {
        options.capacities.assign(capacities.begin(), capacities.end());
    }
    const WorldConfig world = world_of(scenario, Lock::kFeatures);
    return std::make_unique<SystemRunner<World<Lock>>>(World<Lock>(Lock(options), world), world,
                                                       Lock::kFeatures);
}

}  // namespace

void add_single_counter(Registry& registry) {
    RegisteredSystem system;
    system.system = "single_counter";
    system.variant = "faithful";
    system.about = "the one counter per key that canal lock replaced";
    system.features = Lock::kFeatures;
    system.sizes = {"8 callers, 4 keys, 1 counter a key"};
    system.make = make_single_counter;
    registry.add(std::move(system));
}

}  // namespace lockkeeper
