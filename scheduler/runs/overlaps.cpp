// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/overlaps.hpp"

#include <algorithm>

namespace lockkeeper {

void OverlapWatch::look(const Observation& seen, std::size_t steps) {
    for (const bool of_grants : {false, true}) {
        const bool overlaps = of_grants ? seen.grants_overlap : seen.beliefs_overlap;
        bool& open = open_[of_grants ? 1 : 0];
        if (open) {
            const auto last = std::find_if(
                overlaps_.rbegin(), overlaps_.rend(),
                [&](const Overlap& overlap) { return overlap.of_grants == of_grants; });
            last->last_step = steps;
            last->until = seen.now;
            last->ended = !overlaps;
        } else if (overlaps) {
            overlaps_.push_back({of_grants, steps, steps, seen.now, seen.now, false});
        }
        open = overlaps;
    }
}

}  // namespace lockkeeper
