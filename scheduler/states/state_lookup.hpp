// SPDX-License-Identifier: Apache-2.0

// The numbers of states that are in the store, many at a time, so that memory is waited for once:
// slots of the table are prefetched for all of them, then the records they lead to.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/search/reached.hpp"

namespace lockkeeper {

template <System S>
class StateLookup {
  public:
    using Number = std::uint32_t;

    explicit StateLookup(const Reached<S>& reached) : reached_(reached) {}

    // Appends the number of each of them, in order.
    void find_all(const ArrivalBatch& states, std::vector<Number>& out) {
        const StateStore& store = reached_.store();
        const auto& all = states.arrivals;
        for (std::size_t begin = 0; begin < all.size(); begin += kTogether) {
            const std::size_t end = std::min(begin + kTogether, all.size());
            for (std::size_t i = begin; i < end; ++i) {
                store.prefetch_slot(all[i].hash);
            }
            places_.clear();
            for (std::size_t i = begin; i < end; ++i) {
                places_.push_back(store.look_ahead(all[i].hash));
            }
            for (std::size_t i = begin; i < end; ++i) {
                const StateId id =
                    store.find(states.record(i, store.shape()), all[i].hash, places_[i - begin]);
                LOCKKEEPER_CHECK(id != kNoState);
                out.push_back(static_cast<Number>(reached_.number_of(id)));
            }
        }
    }

  private:
    static constexpr std::size_t kTogether = 64;

    const Reached<S>& reached_;
    std::vector<StateStore::Place> places_;
};

}  // namespace lockkeeper
