// SPDX-License-Identifier: Apache-2.0

// What both searches of marking_search.hpp share.
#pragma once

#include <string>
#include <vector>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/proofs/marking_search.hpp"

namespace lockkeeper::proofs {

// Empty: go on.
[[nodiscard]] inline std::string limit_of(const SearchLimits& limits, std::size_t markings) {
    return markings > limits.markings_max ? "markings"
           : limits.deadline.is_past()    ? "time"
           : interrupt_requested()        ? "interrupted"
                                          : "";
}

// Where a step leads, in weights. False: it does not keep them.
[[nodiscard]] inline bool keeps(std::vector<Weights>& weights, const WeighedStep& step) {
    bool keeps_all = true;
    for (Weights& each : weights) {
        const std::int64_t more = step.local ? each.of(step.local_after) - each.of(*step.local) : 0;
        const std::int64_t after = each.of_shared[step.shared] + more;
        if (!each.knows(step.shared_after)) {
            each.set_shared(step.shared_after, after);
        }
        keeps_all = keeps_all && each.of_shared[step.shared_after] == after;
    }
    return keeps_all;
}

// A planted bug.
[[nodiscard]] inline bool drops(const SearchLimits& limits, const WeighedStep& step) {
    return limits.bug == SearchBug::kDropsSteps && step.local && step.local_after % 8 == 5;
}

}  // namespace lockkeeper::proofs
