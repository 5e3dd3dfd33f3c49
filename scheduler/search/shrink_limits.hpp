// SPDX-License-Identifier: Apache-2.0

// Ends shrinking before it has tried everything. Shrinking is part of the search that found the
// violation, and has the time and memory that this search has left.
#pragma once

#include <cstdint>

#include "scheduler/deadline.hpp"

namespace lockkeeper {

struct ShrinkLimits {
    Deadline deadline{};                           // past it no more is tried
    std::uint64_t process_bytes_max = UINT64_MAX;  // resident; see process_memory.hpp. A search
                                                   // for something smaller that meets it ends
    bool shortens = true;  // false: only the causes of the schedule as it is
};

}  // namespace lockkeeper
