// SPDX-License-Identifier: Apache-2.0

// In which order the processes of a file that is sorted by time made their records. Used by
// order_records only.
//
// A process does one thing after another. Its records stand in the order of their index, of the
// file, or of the file from its end, where the newest record comes first: in the one of them in
// which every end has its call before it and the times of a process fall least.
#pragma once

#include <cstdint>
#include <vector>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct ProcessOrder {
    std::vector<std::uint32_t> base;  // positions; those of one process in its order
    // By position: as the process had it at least, where its clock fell.
    std::vector<std::int64_t> times;
    std::size_t ends_without_call = 0;
    std::int64_t fall = 0;  // the most that times of one process fall by, `from` to `to`
    std::size_t from = 0;
    std::size_t to = 0;
};

// Every record has a time.
[[nodiscard]] ProcessOrder order_of_file(const std::vector<Record>& records);
[[nodiscard]] ProcessOrder best_order(const std::vector<Record>& records);

// Sorts whole operations by their times. Each is a call, perhaps with its return behind it.
void sort_operations(std::vector<Record>& records);

}  // namespace lockkeeper
