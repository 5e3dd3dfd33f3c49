// Putting many records into a store without waiting for memory: long before, the slots of the table
// are prefetched; shortly before, a look goes as far as one cache line shows, and prefetches the
// record that will have to be compared; the visit goes on from there.
#pragma once

#include <array>
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
    constexpr std::size_t kKeysAhead = 16;
    std::array<StateStore::Place, kKeysAhead> places;
    const std::size_t size = arrivals.size();
    for (std::size_t i = 0; i < size + kSlotsAhead; ++i) {
        if (i < size) {
            store.prefetch_slot(arrivals[i].hash);
        }
        const std::size_t now = i - kSlotsAhead;  // wraps at first
        const std::size_t soon = now + kKeysAhead;
        if (now < size) {
            const Arrival& arrival = arrivals[now];
            store.visit(arrival.record, arrival.hash, arrival.parent, places[now % kKeysAhead]);
        }
        if (soon < size) {
            places[soon % kKeysAhead] = store.look_ahead(arrivals[soon].hash);
        }
    }
}

}  // namespace lockkeeper
