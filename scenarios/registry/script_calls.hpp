// SPDX-License-Identifier: Apache-2.0

// Asks what the scripts of a scenario use, where that decides how a system is made.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/world_config.hpp"

namespace lockkeeper {

template <class IsSought>
[[nodiscard]] bool some_operation(const WorldConfig& world, IsSought is_sought) {
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), is_sought);
    });
}
// `call`: a word of the system's own.
template <class Call>
[[nodiscard]] bool somebody_calls(const WorldConfig& world, Call call) {
    return some_operation(world, [&](const Operation& one) {
        return one.verb == Verb::kCall && one.word == static_cast<std::uint8_t>(call);
    });
}
[[nodiscard]] inline bool somebody_goes_on_until_acquired(const WorldConfig& world) {
    return some_operation(world, [](const Operation& one) { return one.until_acquired; });
}

}  // namespace lockkeeper
