// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/marking.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace lockkeeper::proofs {

Populated::Populated(SharedId shared, const Counts& counts, const std::vector<Weights>& weights)
    : shared_(shared), counts_(counts), weights_(&weights) {
    for (const Weights& each : weights) {
        std::int64_t left = each.of_shared[shared];
        for (const LocalCount& some : counts) {
            left -= some.count == kAnyNumber ? 0 : each.of(some.local) * some.count;
        }
        room_.push_back(left);
    }
    leave_out_impossible();
}

void Populated::leave_out_impossible() {
    is_impossible_ =
        std::any_of(room_.begin(), room_.end(), [](std::int64_t left) { return left < 0; });
    const auto cannot_be = [&](const LocalCount& some) {
        if (some.count != kAnyNumber) {
            return false;
        }
        for (std::size_t i = 0; i < room_.size(); ++i) {
            if ((*weights_)[i].of(some.local) > room_[i]) {
                return true;
            }
        }
        return false;
    };
    counts_.erase(std::remove_if(counts_.begin(), counts_.end(), cannot_be), counts_.end());
}

Populated Populated::without(LocalId local) const {
    Populated others = *this;
    const auto found = std::find_if(others.counts_.begin(), others.counts_.end(),
                                    [&](const LocalCount& some) { return some.local == local; });
    LOCKKEEPER_CHECK(found != others.counts_.end());
    if (found->count == kAnyNumber) {
        for (std::size_t i = 0; i < room_.size(); ++i) {
            others.room_[i] -= (*weights_)[i].of(local);
        }
        others.leave_out_impossible();
    } else if (--found->count == 0) {
        others.counts_.erase(found);
    }
    return others;
}

}  // namespace lockkeeper::proofs
