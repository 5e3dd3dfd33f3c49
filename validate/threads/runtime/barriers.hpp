// SPDX-License-Identifier: Apache-2.0

// Which barriers (pthread_barrier_t) are passed by always the same threads, as many as the barrier
// counts. The order in which those arrive decides nothing but whom the barrier tells that it was
// the last, which POSIX leaves open. So their arrivals are merged: each thread says in a word of
// its own that it has arrived, and waits for the words of the others. n! orders of arrival become n
// choices.
//
// The host learns from its first run who passes each barrier. A search that meets another thread
// there is begun again, without merging: see explore.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "validate/threads/graph/event.hpp"

namespace lockkeeper::threads {

struct BarrierUse {
    unsigned count = 0;
    std::array<bool, kThreadsMax> members{};

    [[nodiscard]] bool is_merged() const {
        unsigned known = 0;
        for (const bool is_member : members) {
            known += is_member ? 1 : 0;
        }
        return known == count && count > 1;
    }
};

struct Barriers {
    enum class Way : std::uint8_t { kLearn, kMerge, kPlain } way = Way::kPlain;
    std::unordered_map<const void*, BarrierUse> known;
    bool is_wrong = false;  // another thread has come, or the barrier counts others
    // By thread, of this run: how often it has arrived.
    std::array<std::unordered_map<const void*, std::uint64_t>, kThreadsMax> arrivals;

    void begin_run() {
        for (auto& of_thread : arrivals) {
            of_thread.clear();
        }
    }
    // Some barrier can be merged.
    [[nodiscard]] bool has_merged() const {
        for (const auto& [barrier, use] : known) {
            if (use.is_merged()) {
                return true;
            }
        }
        return false;
    }
};

// The barrier's own return value.
int wait_at_barrier(const void* barrier, unsigned count, const void* site);

}  // namespace lockkeeper::threads
