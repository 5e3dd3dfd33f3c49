// SPDX-License-Identifier: Apache-2.0

// The planted bugs of monglock's locks, each in the repaired variant (impl/planted_bug.hpp).
#pragma once

#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"
#include "impl/planted_bug.hpp"

namespace lockkeeper::monglock {

[[nodiscard]] PlantedBugs<WriteLockOptions> write_lock_bugs();
[[nodiscard]] PlantedBugs<MultiLockOptions> multi_lock_bugs();

}  // namespace lockkeeper::monglock
