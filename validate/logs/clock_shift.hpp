// SPDX-License-Identifier: Apache-2.0

// Which single clock explains logs that no run explains, if it was ahead or behind, and by how
// much? Called by explain.cpp where nobody has said how wrong clocks may be.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validate/logs/problem.hpp"

namespace lockkeeper::logs {

inline constexpr std::int64_t kClockShiftMax = 60'000'000'000;  // nanoseconds

// The source's clock was ahead by some time from `least` to `most`; less than 0: it was behind, and
// `least` is the nearer one to 0. To a millisecond.
struct ClockShift {
    std::size_t source = 0;
    std::int64_t least = 0;
    std::optional<std::int64_t> most;  // nothing: the lines are explained up to kClockShiftMax
};

// By source: the first source whose clock it has. Pieces of one rotated log have one.
[[nodiscard]] std::vector<std::size_t> clocks_of(const std::vector<Source>& sources);

// Counts those of sources that have lines.
[[nodiscard]] std::size_t clocks_used(const std::vector<Source>& sources);

// Whether a run explains these sources, each with as much clock error. May cost a search.
using IsExplained = std::function<bool(const std::vector<Source>& sources,
                                       const std::vector<std::int64_t>& clock_errors)>;

// At most one for each clock, the least time that does. `is_over`: time to end with what there is:
// a clock that would have come later is not named.
[[nodiscard]] std::vector<ClockShift> clocks_that_explain(const std::vector<Source>& sources,
                                                          const IsExplained& is_explained,
                                                          const std::function<bool()>& is_over);

// "  explained if the clock of b was 140 ms to 210 ms ahead\n", a line for each.
[[nodiscard]] std::string clocks_text(const std::vector<ClockShift>& clocks,
                                      const std::vector<Source>& sources);

}  // namespace lockkeeper::logs
