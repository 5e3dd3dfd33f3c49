// Registers planted bugs. Split over several files because each bug instantiates all searches.
#pragma once

#include "app/systems/shipped.hpp"
#include "impl/broken/broken_canal.hpp"
#include "model/world.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {

template <class Broken>
void add_broken_lock(Registry& registry, const char* variant, const char* must_fail,
                     const char* about) {
    using Size = typename Broken::Size;
    const Needs compiled{Size::kCallers, Size::kKeys, Size::kBuckets, 100, 255, 14,
                         Size::kRemembered};
    RegisteredSystem system;
    system.system = "canal_broken";
    system.variant = variant;
    system.must_fail = must_fail;
    system.about = about;
    system.features = Broken::kFeatures;
    system.sizes = {text_of(compiled)};
    system.make = [compiled](const Scenario& scenario) -> MadeRunner {
        const Needs needs = needs_of(scenario);
        const bool fits = needs.callers <= compiled.callers && needs.keys <= compiled.keys &&
                          needs.buckets <= compiled.buckets && needs.max_per <= compiled.max_per &&
                          needs.script <= compiled.script && needs.locks <= compiled.locks &&
                          needs.remembered <= compiled.remembered &&
                          scenario.parameters.max_decr_tries.value_or(1) <= 100;
        if (!fits) {
            return InputError{scenario.file, "",
                              "does not fit the compiled size of planted bugs: needs " +
                                  text_of(needs) + "; compiled: " + text_of(compiled)};
        }
        const WorldConfig world = world_of(scenario, Broken::kFeatures);
        return std::make_unique<SystemRunner<World<Broken>>>(
            World<Broken>(Broken(canal_options(scenario, canal::kNoRepair)), world), world,
            Broken::kFeatures);
    };
    registry.add(std::move(system));
}

void add_broken_counters(Registry& registry);
void add_broken_releases(Registry& registry);
void add_broken_managers(Registry& registry);
void add_broken_orders(Registry& registry);

}  // namespace lockkeeper
