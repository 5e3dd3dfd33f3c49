// SPDX-License-Identifier: Apache-2.0

// Registers a lease system: as it is, and with the monitors of its bounds for the scenarios that
// give one (impl/leases/lease_bounds.hpp). States of the others are as small as they were.
#pragma once

#include <utility>
#include <variant>

#include "impl/leases/descriptor/lease_descriptors.hpp"
#include "impl/leases/lease_by_record.hpp"
#include "scenarios/registry/by_record.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {

// Which lease system `prove` takes apart, if any: makes it, and what it shows (RegisteredSystem).
struct LeaseByRecord {
    std::function<MadeSystem(const Scenario&)> make = nullptr;
    std::uint32_t features = 0xFFFFFFFFU;
};

// `options_of(scenario)`: the options of a Lease, or what is wrong.
template <class Lease, class OptionsOf>
[[nodiscard]] LeaseByRecord lease_by_record(OptionsOf options_of) {
    using Lock = leases::LeaseByRecord<Lease>;
    const auto make = [=](const Scenario& scenario) -> MadeSystem {
        const std::variant<typename Lock::Options, InputError> made = options_of(scenario);
        if (const auto* error = std::get_if<InputError>(&made)) {
            return *error;
        }
        const auto& options = std::get<typename Lock::Options>(made);
        const WorldConfig world = with_kinds_in_operations(scenario.world);
        if (const std::string why = Lock::why_not(options, world); !why.empty()) {
            return InputError{scenario.file, "", "leases are not proved like this: " + why};
        }
        return ErasedSystem(World<Lock>(Lock(options, world), world));
    };
    return {make, Lock::kFeatures};
}

// `make`: of a Scenario, a lease system or what is wrong.
template <class Maker>
void register_lease(Registry& registry, const SystemDescription& description, Maker make,
                    const LeaseByRecord& by_record) {
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
    if (by_record.make) {
        system.features_by_record = by_record.features;
        const auto make_it = [make = by_record.make](const Scenario& scenario) -> MadeSystem {
            return lease_bounds_of(scenario).any()
                       ? InputError{scenario.file, "", "told_within or free_within is judged"}
                       : make(scenario);
        };
        system.make_by_record =
            of_what_fits<typename MadeLock<Made>::Lock>(description.vocabulary, limits, make_it);
    }
    registry.add(std::move(system));
}

// The faithful variant, the repaired one, and the planted bugs, which are planted in the latter.
// `options_of(plant)(scenario)`: the options of a Lease that `plant` has changed, or what is wrong.
template <class Lease, class Bugs, class OptionsOf>
void register_leases_of(Registry& registry, const SystemDescription& faithful,
                        std::span<const NamedRepair> repairs, const Bugs& bugs,
                        OptionsOf options_of) {
    const SystemDescription fixed = repaired(faithful, repairs);
    const auto maker = [=](auto plant) {
        return
            [of = options_of(plant)](const Scenario& scenario) -> std::variant<Lease, InputError> {
                auto options = of(scenario);
                if (auto* error = std::get_if<InputError>(&options)) {
                    return std::move(*error);
                }
                return Lease(std::get<0>(std::move(options)));
            };
    };
    const auto to_prove = [=](auto plant) { return lease_by_record<Lease>(options_of(plant)); };
    const auto nothing = [](auto&) {};
    register_lease(registry, faithful, maker(nothing), to_prove(nothing));
    register_lease(registry, fixed, maker(nothing), to_prove(nothing));
    for (const auto& bug : bugs) {
        register_lease(registry, with_bug(fixed, (faithful.system + "_broken").c_str(), bug),
                       maker(bug.plant), to_prove(bug.plant));
    }
}
}  // namespace lockkeeper
