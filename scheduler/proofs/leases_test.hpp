// SPDX-License-Identifier: Apache-2.0

// Leases with drawn numbers, and how they are used: to compare what is proved of them
// with what is explored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "impl/leases/lease_by_record.hpp"
#include "scheduler/proofs/looping_world.hpp"

namespace lockkeeper::testing_proofs {

template <class Lease>
struct ScopeOf {
    using System = Lease;
    typename leases::OptionsOf<Lease>::Type options;  // a client for each caller of the world
    WorldConfig world;                                // one caller of each kind
};
using LeaseScope = ScopeOf<leases::LeaseCoordinator>;

// The kinds of callers, each with another clock: acquire, what `calls` say, release.
template <class Lease, class LeaseCall>
[[nodiscard]] ScopeOf<Lease> scope_with_clocks(const std::vector<std::int32_t>& clocks,
                                               const std::vector<LeaseCall>& calls) {
    ScopeOf<Lease> scope;
    scope.world.keys = scope.options.keys;
    for (const std::int32_t clock : clocks) {
        CallerConfig caller;
        caller.name = std::string(1, static_cast<char>('A' + scope.world.callers.size()));
        caller.group = static_cast<std::uint8_t>(scope.world.callers.size());
        caller.settings["clock"] = clock;
        caller.script = {Operation{.verb = Verb::kAcquire}};
        for (const LeaseCall call : calls) {
            caller.script.push_back(
                {.verb = Verb::kCall, .word = static_cast<std::uint8_t>(call), .needs_lock = true});
        }
        caller.script.push_back({.verb = Verb::kRelease});
        scope.world.callers.push_back(caller);
        scope.options.clients.push_back(leases::Client{.clock = clock});
    }
    return scope;
}

// The same with so many callers of each kind, whose scripts go on for ever.
template <class Lease>
[[nodiscard]] ScopeOf<Lease> with_callers(const ScopeOf<Lease>& scope,
                                          const std::vector<std::size_t>& counts) {
    ScopeOf<Lease> many{scope.options, proofs::looping_world(scope.world, counts, false)};
    many.options.clients.clear();
    for (const CallerConfig& caller : many.world.callers) {
        many.options.clients.push_back(scope.options.clients[caller.group]);
    }
    return many;
}

// The scope of a seed, the same everywhere. LeaseByRecord accepts it.
[[nodiscard]] LeaseScope random_leases(std::uint32_t seed);

[[nodiscard]] LeaseScope leases_with_clocks(const std::vector<std::int32_t>& clocks,
                                            const std::vector<leases::LeaseCoordinatorCall>& calls);

}  // namespace lockkeeper::testing_proofs
