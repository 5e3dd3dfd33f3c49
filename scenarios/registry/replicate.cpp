// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/replicate.hpp"

#include <memory>

#include "scenarios/cases.hpp"
#include "scenarios/registry/only_to_explore.hpp"
#include "scheduler/proofs/looping_world.hpp"

namespace lockkeeper {
namespace {

// Without what was asked of other numbers of callers.
Scenario only_its_system(const Scenario& scenario, const std::vector<const Property*>& check,
                         WorldConfig world) {
    std::vector<std::string> names;
    names.reserve(check.size());
    for (const Property* property : check) {
        names.emplace_back(property->name);
    }
    Scenario only = only_to_explore(scenario, std::move(names));
    only.world = std::move(world);
    only.law.reset();
    only.traffic.reset();
    return only;
}

MadeSystem made_to_prove(const Registry& registry, const Scenario& scenario,
                         std::uint32_t& features) {
    const auto understood = registry.understand(scenario);
    if (const auto* error = std::get_if<InputError>(&understood)) {
        return *error;
    }
    const auto& known = std::get<Understood>(understood);
    features = known.system->features_by_record;
    if (known.system->make_by_record) {
        return known.system->make_by_record(known.scenario);
    }
    MadeRunner made = known.system->make(known.scenario);
    if (const auto* error = std::get_if<InputError>(&made)) {
        return *error;
    }
    return std::get<std::unique_ptr<Runner>>(made)->erased();
}

}  // namespace

std::variant<Scenario, InputError> replicated(const Scenario& scenario,
                                              const std::vector<const Property*>& check,
                                              const std::vector<std::size_t>& counts) {
    const Scenario many =
        only_its_system(scenario, check, proofs::looping_world(scenario.world, counts, false));
    // The text has no cases, whatever the file of the scenario has.
    auto parsed = parse_scenario(to_json_text(many), named_case(scenario.file).file);
    if (auto* read = std::get_if<Scenario>(&parsed)) {
        read->file = scenario.file;
    }
    return parsed;
}

std::variant<proofs::ReplicatedWorld, InputError> take_apart(
    const Registry& registry, const Scenario& scenario, const std::vector<const Property*>& check) {
    std::vector<ErasedSystem> systems;
    std::uint32_t features = 0;
    for (WorldConfig world :
         {proofs::world_to_take_apart(scenario.world), proofs::one_of_each(scenario.world),
          proofs::one_is_absent(scenario.world)}) {
        const MadeSystem made =
            made_to_prove(registry, only_its_system(scenario, check, std::move(world)), features);
        if (const auto* error = std::get_if<InputError>(&made)) {
            return *error;
        }
        systems.push_back(std::get<ErasedSystem>(made));
    }
    proofs::ReplicatedWorld apart(systems[0], systems[1], systems[2]);
    apart.shows_only(features);
    return apart;
}

}  // namespace lockkeeper
