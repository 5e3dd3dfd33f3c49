// SPDX-License-Identifier: Apache-2.0

// What ends shrinking before it has tried everything. It is part of the search that found what is
// to be shrunk, and has what that search has left.
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
