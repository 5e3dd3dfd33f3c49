// SPDX-License-Identifier: Apache-2.0

// The scopes of the benchmarks: callers that each acquire and release once, one key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/canal/canal_lock.hpp"
#include "model/world.hpp"

namespace lockkeeper::bench {

template <class Size>
using CanalWorld = World<canal::CanalLock<Size>>;

struct Scope {
    std::vector<std::uint16_t> buckets;  // what each caller sees
    std::uint16_t max_per = 1;
    std::uint8_t max_decr_tries = 2;
    bool warm = false;
    bool has_manager = true;
    bool for_ever = false;  // acquire and release again and again
};

template <class Size>
[[nodiscard]] CanalWorld<Size> make_world(const Scope& scope) {
    canal::CanalOptions options;
    options.max_decr_tries = scope.max_decr_tries;
    options.manager_max_per = scope.max_per;
    options.max_pers = {scope.max_per};
    options.has_manager = scope.has_manager;
    const auto largest = *std::max_element(scope.buckets.begin(), scope.buckets.end());
    if (scope.warm) {
        options.tables = {{std::vector<std::int32_t>(largest, 0), largest}};
    }
    WorldConfig world;
    world.keys = {"db"};
    for (std::size_t i = 0; i < scope.buckets.size(); ++i) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + i));
        // Callers that see the same number of buckets are interchangeable.
        caller.group = static_cast<std::uint8_t>(scope.buckets[i]);
        Operation acquire;
        acquire.place_capacity = scope.max_per;
        acquire.places = scope.buckets[i];
        Operation release = acquire;
        release.verb = Verb::kRelease;
        caller.script = {acquire, release};
        caller.repeats_forever = scope.for_ever;
        world.callers.push_back(caller);
    }
    return CanalWorld<Size>(canal::CanalLock<Size>(options), world);
}

}  // namespace lockkeeper::bench
