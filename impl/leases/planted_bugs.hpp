// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the three lease systems, each in the repaired variant (impl/planted_bug.hpp).
#pragma once

#include "impl/leases/lease_coordinator.hpp"
#include "impl/leases/lease_db.hpp"
#include "impl/leases/lease_service.hpp"
#include "impl/planted_bug.hpp"

namespace lockkeeper::leases {

[[nodiscard]] PlantedBugs<LeaseDbOptions> lease_db_bugs();
[[nodiscard]] PlantedBugs<LeaseCoordinatorOptions> lease_coordinator_bugs();
[[nodiscard]] PlantedBugs<LeaseServiceOptions> lease_service_bugs();

}  // namespace lockkeeper::leases
