// SPDX-License-Identifier: Apache-2.0

// What the scripts of a scenario ask for, where that decides how a system is made.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/world_config.hpp"

namespace lockkeeper {

// `call`: a word of the system's own.
template <class Call>
[[nodiscard]] bool somebody_calls(const WorldConfig& world, Call call) {
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), [&](const Operation& one) {
            return one.verb == Verb::kCall && one.word == static_cast<std::uint8_t>(call);
        });
    });
}

}  // namespace lockkeeper
