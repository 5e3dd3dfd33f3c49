// SPDX-License-Identifier: Apache-2.0

// Watches one run for stretches in which two hold what exclude each other, and says how long each
// lasted in virtual time. For the traces of reports; measure/ has expectations over all runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/observation.hpp"

namespace lockkeeper {

struct Overlap {
    bool of_grants = false;      // of the servers' records; else of what callers believe
    std::size_t first_step = 0;  // that brought it about; 0: the initial state
    std::size_t last_step = 0;   // that ended it, or the last one of the run
    std::int32_t from = 0;       // instants, in the scenario's units
    std::int32_t until = 0;
    bool ended = false;

    [[nodiscard]] std::int32_t lasts() const { return until - from; }
};

class OverlapWatch {
  public:
    // After each step, and before the first with `steps` 0.
    void look(const Observation& seen, std::size_t steps);
    // In the order in which they began.
    [[nodiscard]] const std::vector<Overlap>& overlaps() const { return overlaps_; }

  private:
    std::vector<Overlap> overlaps_;
    std::array<bool, 2> open_{};  // of beliefs, of grants
};

}  // namespace lockkeeper
