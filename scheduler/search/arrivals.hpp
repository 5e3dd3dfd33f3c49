// SPDX-License-Identifier: Apache-2.0

// Putting many states into a store without waiting for memory: long before, the slots of the table
// are prefetched; shortly before, a look goes as far as one cache line shows, and prefetches the
// record that will have to be compared; the visit goes on from there. Where slots tell all, the
// store needs the first step only (StateStore::visit_packed).
#pragma once

#include <array>
#include <vector>

#include "scheduler/search/state_store.hpp"

namespace lockkeeper {

// Visits the states that have arrived for one shard.
inline void visit_all(StateStore& store, std::size_t shard,
                      const std::vector<ArrivalBatch>& batches) {
    if (store.knows_by_slot()) {
        store.visit_packed(shard, batches);
        return;
    }
    struct Coming {
        const std::uint64_t* record;
        std::uint64_t hash;
        StateId parent;
    };
    thread_local std::vector<Coming> all;
    all.clear();
    for (const ArrivalBatch& batch : batches) {
        for (std::size_t i = 0; i < batch.arrivals.size(); ++i) {
            const auto [hash, parent] = batch.arrivals[i];
            all.push_back({batch.record(i, store.shape()), hash, parent});
        }
    }
    constexpr std::size_t kSlotsAhead = 32;
    constexpr std::size_t kKeysAhead = 16;
    std::array<StateStore::Place, kKeysAhead> places;
    const std::size_t size = all.size();
    for (std::size_t i = 0; i < size + kSlotsAhead; ++i) {
        if (i < size) {
            store.prefetch_slot(all[i].hash);
        }
        const std::size_t now = i - kSlotsAhead;  // wraps at first
        const std::size_t soon = now + kKeysAhead;
        if (now < size) {
            store.visit(all[now].record, all[now].hash, all[now].parent, places[now % kKeysAhead]);
        }
        if (soon < size) {
            places[soon % kKeysAhead] = store.look_ahead(all[soon].hash);
        }
    }
}

}  // namespace lockkeeper
