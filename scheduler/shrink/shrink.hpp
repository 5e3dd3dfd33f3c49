// SPDX-License-Identifier: Apache-2.0

// The limits and the results of shrinking. Plain values, the same for every System. Shrinking is
// part of the search that found the violation, and has the time and memory that this search has
// left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/schedule.hpp"
#include "scheduler/base/deadline.hpp"

namespace lockkeeper {

// Ends shrinking before it has tried everything.
struct ShrinkLimits {
    Deadline deadline{};                           // past it no more is tried
    std::uint64_t process_bytes_max = UINT64_MAX;  // resident; see process_memory.hpp. A search
                                                   // for something smaller that meets it ends
    bool shortens = true;  // false: only the causes of the schedule as it is
};

struct ShrinkResult {
    Schedule schedule;                // violates the same property in its last step
    std::vector<std::size_t> causes;  // steps whose decision the violation needs, from 0
    std::uint64_t replays = 0;
    bool is_cut = false;  // time was up: it may be longer than need be, and causes are not known
};

// A run that does not break a property, and begins as one that does.
struct PassingRun {
    Schedule schedule;
    std::size_t differs_at = 0;  // the first step, from 0, that is not the same
    bool ends = true;            // false: it goes on for ever, and is shown for a while
};

}  // namespace lockkeeper
