// SPDX-License-Identifier: Apache-2.0

// Registers a lease system: as it is, and with the monitors of its bounds for the scenarios that
// give one (impl/leases/lease_bounds.hpp). States of the others are as small as they were.
#pragma once

#include <utility>
#include <variant>

#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {

// `make`: of a Scenario, a lease system or what is wrong.
template <class Maker>
void register_lease(Registry& registry, const SystemDescription& description, Maker make) {
    using Made = std::invoke_result_t<const Maker&, const Scenario&>;
    using Bounded = leases::BoundedLease<typename MadeLock<Made>::Lock>;
    const LockLimits limits{.buckets = 1, .max_per = 1, .locks = 4};
    const auto make_bounded =
        [make](const Scenario& scenario) -> std::variant<Bounded, InputError> {
        Made made = make(scenario);
        if (const auto* error = std::get_if<InputError>(&made)) {
            return *error;
        }
        return Bounded(std::get<0>(std::move(made)), lease_bounds_of(scenario));
    };
    RegisteredSystem system = registered(description, make, limits);
    const RegisteredSystem bounded = registered(description, make_bounded, limits);
    system.features = bounded.features;
    system.make = [plain = system.make, bounded = bounded.make](const Scenario& scenario) {
        return lease_bounds_of(scenario).any() ? bounded(scenario) : plain(scenario);
    };
    registry.add(std::move(system));
}

// The faithful variant, the repaired one, and the planted bugs, which are planted in the latter.
// `maker(plant)`: makes leases whose options `plant` has changed.
template <class Bugs, class Maker>
void register_leases_of(Registry& registry, const SystemDescription& faithful,
                        std::span<const NamedRepair> repairs, const Bugs& bugs, Maker maker) {
    const SystemDescription fixed = repaired(faithful, repairs);
    const auto nothing = [](auto&) {};
    register_lease(registry, faithful, maker(nothing));
    register_lease(registry, fixed, maker(nothing));
    for (const auto& bug : bugs) {
        register_lease(registry, with_bug(fixed, (faithful.system + "_broken").c_str(), bug),
                       maker(bug.plant));
    }
}

}  // namespace lockkeeper
