// SPDX-License-Identifier: Apache-2.0

// The vocabulary that scenarios of all three lease systems share.
#pragma once

#include "impl/leases/lease_bounds.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

inline constexpr std::int32_t kLeaseTimeMost = 60'000;
inline constexpr std::int32_t kLeaseBudgetMost = 4;

[[nodiscard]] Vocabulary lease_vocabulary();
void fill_in_leases(const Scenario& scenario, leases::LeaseOptions& options);
[[nodiscard]] leases::LeaseBounds lease_bounds_of(const Scenario& scenario);

void add_lease_db(Registry& registry);
void add_lease_service(Registry& registry);
void add_lease_coordinator(Registry& registry);

}  // namespace lockkeeper
