// SPDX-License-Identifier: Apache-2.0

// The numbers of states that are in the store, many at a time, so that memory is waited for once:
// slots of the table are prefetched for all of them, then the records they lead to.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/search/reached.hpp"

namespace lockkeeper {

// Instead of a number: it was left out for one that has more left of the faults (tail_order.hpp).
inline constexpr std::uint32_t kCoveredState = UINT32_MAX;

template <System S>
class StateLookup {
  public:
    using Number = std::uint32_t;

    explicit StateLookup(const Reached<S>& reached) : reached_(reached) {}

    // Appends the number of each of them, in order, or kCoveredState.
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
                out.push_back(is_itself(id, states.record(i, store.shape()))
                                  ? static_cast<Number>(reached_.number_of(id))
                                  : kCoveredState);
            }
        }
    }

  private:
    static constexpr std::size_t kTogether = 64;

    [[nodiscard]] bool is_itself(StateId id, const std::uint64_t* record) const {
        const StateStore& store = reached_.store();
        return store.knows_by_slot() ||
               std::equal(record, record + store.shape().words, store.record(id));
    }

    const Reached<S>& reached_;
    std::vector<StateStore::Place> places_;
};

}  // namespace lockkeeper
