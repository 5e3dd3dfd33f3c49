// Putting many records into a store without waiting for memory: first the slots of the table are
// prefetched, then the records that will have to be compared, and only then is anything looked at.
#pragma once

#include <algorithm>
#include <vector>

#include "scheduler/state_store.hpp"

namespace lockkeeper {

struct Arrival {
    const std::uint64_t* record;
    std::uint64_t hash;
    StateId parent;
};

inline void visit_all(StateStore& store, const std::vector<Arrival>& arrivals) {
    constexpr std::size_t kSlotsAhead = 32;
    constexpr std::size_t kKeysAhead = 12;
    const std::size_t size = arrivals.size();
    for (std::size_t i = 0; i < std::min(size, kSlotsAhead); ++i) {
        store.prefetch_slot(arrivals[i].hash);
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (i + kSlotsAhead < size) {
            store.prefetch_slot(arrivals[i + kSlotsAhead].hash);
        }
        if (i + kKeysAhead < size) {
            store.prefetch_key(arrivals[i + kKeysAhead].hash);
        }
        store.visit(arrivals[i].record, arrivals[i].hash, arrivals[i].parent);
    }
}

}  // namespace lockkeeper
