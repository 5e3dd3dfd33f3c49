// SPDX-License-Identifier: Apache-2.0

// Repeated groups in a sequence: 1 2 2 1 2 2 1 2 2 is (1 2*2)*3. So that a run of a thousand steps
// which retries 340 times can be read. Used for schedules and for traces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockkeeper {

// A value, or a group of them, `times` in a row.
struct Fold {
    std::uint32_t value = 0;  // where `group` is empty
    std::vector<Fold> group;
    std::size_t times = 1;
};

// At least so many repetitions are folded: of one value, of a group of several.
struct FoldingLimits {
    std::size_t of_value = 2;
    std::size_t of_group = 3;
};

// Groups may stand in groups; the order of values is kept. Takes a time that is linear in the
// length: in a very long sequence only short groups are found.
[[nodiscard]] std::vector<Fold> folded(std::span<const std::uint32_t> values, FoldingLimits limits);

}  // namespace lockkeeper
