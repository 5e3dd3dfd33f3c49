// SPDX-License-Identifier: Apache-2.0

// Which properties can be decided for every number of callers.
#pragma once

#include <algorithm>
#include <array>

#include "model/property.hpp"

namespace lockkeeper::proofs {

// True for a property of a step that asks what the step shows, and of other callers at most a sum
// or one caller; and for a promise at rest of what is shared, of one caller, or of the sum of what
// all hold. Other properties watch all callers during a whole call, or look at ends and cycles.
[[nodiscard]] inline bool is_decidable(const Property& property) {
    if (property.holds_not == nullptr || property.monitor != Monitor::kNone) {
        return false;
    }
    // leak, double-release, negative-counter, lost- and foreign-reference, poisoned-key, phantom
    constexpr std::array kOfRest{2, 4, 5, 7, 8, 12, 22};
    return property.kind == PropertyKind::kAlways ||
           (property.kind == PropertyKind::kAtQuiescence &&
            std::find(kOfRest.begin(), kOfRest.end(), property.number) != kOfRest.end());
}

}  // namespace lockkeeper::proofs
