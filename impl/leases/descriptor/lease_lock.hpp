// Registers a lease system: as it is, and with the monitors of its bounds for the scenarios that
// give one (impl/leases/lease_bounds.hpp). States of the others are as small as they were.
#pragma once

#include <utility>
#include <variant>

#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {

// `make`: of a Scenario, a lease system or what is wrong.
template <class Maker>
void register_lease(Registry& registry, const LockName& name, Maker make) {
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
    Registry both;
    register_lock(both, name, make, limits);
    register_lock(both, name, make_bounded, limits);
    RegisteredSystem system = both.systems()[0];
    const RegisteredSystem bounded = both.systems()[1];
    system.features = bounded.features;
    system.make = [plain = system.make, bounded = bounded.make](const Scenario& scenario) {
        return lease_bounds_of(scenario).any() ? bounded(scenario) : plain(scenario);
    };
    registry.add(std::move(system));
}

}  // namespace lockkeeper
