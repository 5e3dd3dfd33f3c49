// SPDX-License-Identifier: Apache-2.0

// Lease coordinators with drawn numbers, and how they are used: to compare what is proved of them
// with what is explored.
#pragma once

#include <cstdint>

#include "impl/leases/coordinator_by_record.hpp"

namespace lockkeeper::testing_proofs {

struct LeaseScope {
    leases::LeaseCoordinatorOptions options;  // a client for each caller of the world
    WorldConfig world;                        // one caller of each kind
};

// The scope of a seed, the same everywhere. CoordinatorByRecord accepts it.
[[nodiscard]] LeaseScope random_leases(std::uint32_t seed);

// The kinds of callers, each with another clock: acquire, what `calls` say, release.
[[nodiscard]] LeaseScope leases_with_clocks(const std::vector<std::int32_t>& clocks,
                                            const std::vector<leases::LeaseCoordinatorCall>& calls);

// The same with so many callers of each kind, whose scripts go on for ever.
[[nodiscard]] LeaseScope with_callers(const LeaseScope& scope,
                                      const std::vector<std::size_t>& counts);

}  // namespace lockkeeper::testing_proofs
