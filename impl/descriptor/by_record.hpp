// SPDX-License-Identifier: Apache-2.0

// For systems of which `prove` takes another writing apart (RegisteredSystem::make_by_record): that
// is made of the same options as the system. Descriptors call it.
#pragma once

#include <string>
#include <variant>

#include "impl/callers_by_kind.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {

// `ByRecord` is the other writing of `Lock`, for scenarios that have room in a Lock and whose times
// fit its numbers. `options_of(scenario)`: the options of both, or an InputError. `what`: "leases".
template <class ByRecord, class Lock, class OptionsOf>
void prove_by_record(RegisteredSystem& system, const LockLimits& limits, const std::string& what,
                     OptionsOf options_of) {
    using Made = std::invoke_result_t<const OptionsOf&, const Scenario&>;
    using Options = typename MadeLock<Made>::Lock;
    system.features_by_record = ByRecord::kFeatures;
    system.make_by_record = [room = room_of<Lock>(limits), words = system.vocabulary, what,
                             options_of](const Scenario& given) -> MadeSystem {
        const auto fitting = what_fits(room, words, given);
        if (const auto* error = std::get_if<InputError>(&fitting)) {
            return *error;
        }
        const auto& scenario = std::get<Scenario>(fitting);
        const std::variant<Options, InputError> made = options_of(scenario);
        if (const auto* error = std::get_if<InputError>(&made)) {
            return *error;
        }
        const auto& options = std::get<Options>(made);
        const WorldConfig world = with_kinds_in_operations(scenario.world);
        std::string why;
        if constexpr (requires { ByRecord::why_not(options, world); }) {
            why = ByRecord::why_not(options, world);
        } else {
            why = ByRecord::why_not(world);
        }
        if (!why.empty()) {
            return InputError{scenario.file, "", what + " are not proved like this: " + why};
        }
        return ErasedSystem(World<ByRecord>(ByRecord(options, world), world));
    };
}

}  // namespace lockkeeper
