// SPDX-License-Identifier: Apache-2.0

// How many states there will be in all, estimated while a breadth-first search runs.
//
// The sizes of the levels of such graphs rise and fall like a bell. Through the logarithms of the
// last levels a parabola is laid; what it encloses beyond the last level is still to come. While
// the levels grow faster and faster there is no honest estimate, and none is given. A search of a
// few thousand states gets none, either. The range says how far the estimates of several stretches
// of levels lie apart; docs/understanding/speed.md has how far they were from the truth.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lockkeeper {

struct TotalEstimate {
    double states = 0;
    double least = 0;
    double most = 0;
};

// `levels`: complete levels only, the states first found in each.
[[nodiscard]] std::optional<TotalEstimate> estimate_total(const std::vector<std::uint64_t>& levels);

}  // namespace lockkeeper
