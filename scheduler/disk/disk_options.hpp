// SPDX-License-Identifier: Apache-2.0

// How a search is asked to keep states on disk. A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lockkeeper {

// Where a search goes on when its memory is full: exact storage, breadth first, no reduction by
// faults. How `bytes_max` is shared out: scheduler/disk/disk_budget.hpp.
struct DiskOptions {
    std::string directory;               // empty: nowhere
    std::uint64_t states_in_memory = 0;  // at most; 0: as many as fit
    std::size_t runs_of_rank = 4;        // so many sorted runs alike are merged
};

}  // namespace lockkeeper
