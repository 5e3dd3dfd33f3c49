// SPDX-License-Identifier: Apache-2.0

// For systems of which `prove` takes another writing apart (RegisteredSystem::make_by_record): what
// a scenario is refused for before that is made. Descriptors call it.
#pragma once

#include <functional>
#include <utility>
#include <variant>

#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {

// Calls `make` with a scenario that has room in `Lock`, and whose times fit its numbers.
template <class Lock>
[[nodiscard]] std::function<MadeSystem(const Scenario&)> of_what_fits(
    const Vocabulary& words, const LockLimits& limits,
    std::function<MadeSystem(const Scenario&)> make) {
    return [room = room_of<Lock>(limits), words,
            make = std::move(make)](const Scenario& given) -> MadeSystem {
        if (const std::string lacks = lacking(needs_of(given), room); !lacks.empty()) {
            return InputError{given.file, "", "does not fit the compiled size: " + lacks};
        }
        const auto fitting = with_times_that_fit(words, given);
        if (const auto* error = std::get_if<InputError>(&fitting)) {
            return *error;
        }
        return make(std::get<Scenario>(fitting));
    };
}

}  // namespace lockkeeper
