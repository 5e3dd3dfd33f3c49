// SPDX-License-Identifier: Apache-2.0

// Registers a lease system: as it is, and with the monitors of its bounds for the scenarios that
// give one (impl/leases/lease_bounds.hpp). States of the others are as small as they were.
#pragma once

#include <utility>
#include <variant>

#include "impl/descriptor/by_record.hpp"
#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "impl/leases/lease_by_record.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {

// `options_of(scenario)`: the options of a Lease, or what is wrong.
template <class Lease, class OptionsOf>
void register_lease(Registry& registry, const SystemDescription& description,
                    OptionsOf options_of) {
    using ByRecord = leases::LeaseByRecord<Lease>;
    using Bounded = leases::BoundedLease<Lease>;
    const LockLimits limits{.buckets = 1, .max_per = 1, .locks = 4};
    const auto make = [=](const Scenario& scenario) -> std::variant<Lease, InputError> {
        auto options = options_of(scenario);
        if (auto* error = std::get_if<InputError>(&options)) {
            return std::move(*error);
        }
        return Lease(std::get<0>(std::move(options)));
    };
    const auto make_bounded = [=](const Scenario& scenario) -> std::variant<Bounded, InputError> {
        auto made = make(scenario);
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
    using ToProve = std::variant<typename ByRecord::Options, InputError>;
    prove_by_record<ByRecord, Lease>(
        system, limits, "leases", [options_of](const Scenario& scenario) -> ToProve {
            if (lease_bounds_of(scenario).any()) {
                return InputError{scenario.file, "", "told_within or free_within is judged"};
            }
            return options_of(scenario);
        });
    registry.add(std::move(system));
}

// The faithful variant, the repaired one, and the planted bugs, which are planted in the latter.
// `options_of(plant)(scenario)`: the options of a Lease that `plant` has changed, or what is wrong.
template <class Lease, class Bugs, class OptionsOf>
void register_leases_of(Registry& registry, const SystemDescription& faithful,
                        std::span<const NamedRepair> repairs, const Bugs& bugs,
                        OptionsOf options_of) {
    const SystemDescription fixed = repaired(faithful, repairs);
    const auto nothing = [](auto&) {};
    register_lease<Lease>(registry, faithful, options_of(nothing));
    register_lease<Lease>(registry, fixed, options_of(nothing));
    for (const auto& bug : bugs) {
        register_lease<Lease>(registry, with_bug(fixed, (faithful.system + "_broken").c_str(), bug),
                              options_of(bug.plant));
    }
}

}  // namespace lockkeeper
