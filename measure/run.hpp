// SPDX-License-Identifier: Apache-2.0

// Both methods use this definition of a run: where it ends, what it has lost by then, which steps
// count as a grant. Exact and sampled figures are therefore about the same thing.
#pragma once

#include "model/law.hpp"
#include "model/property.hpp"
#include "model/system.hpp"

namespace lockkeeper {

// How a run goes on in a state; `actions` are those enabled in it.
enum class RunEnd : std::uint8_t {
    kGoesOn,
    kFinished,  // nothing can happen any more that has a weight
    kDeadlock,  // only faults could happen and somebody is unfinished: the run ends, as it does in
                // the simulator
};

template <System S>
[[nodiscard]] RunEnd end_of_run(const S& system, const typename S::State& state,
                                const ActionList& actions, double weights_sum) {
    if (only_faults(actions) && !system.finished(state) && !time_is_over(system, state)) {
        return RunEnd::kDeadlock;
    }
    return weights_sum > 0 ? RunEnd::kGoesOn : RunEnd::kFinished;
}

[[nodiscard]] inline bool is_grant(const Event& event) { return event.is(kGranted); }

// P17 and P18: what has a length in virtual time.
[[nodiscard]] inline bool is_overlap(const Property& property) {
    return property.is(PropertyNumber::kBeliefOverlap) ||
           property.is(PropertyNumber::kGrantOverlap);
}

// Units of the key that the counters count and nobody holds (P2 says when that is a leak: at rest).
// None where the manager is dead: that is P11.
[[nodiscard]] inline std::uint32_t units_lost(const Observation& observation, std::size_t key) {
    const KeyObservation& seen = observation.keys[key];
    return observation.servers_gone || seen.counted_least <= seen.believed
               ? 0
               : seen.counted_least - seen.believed;
}
[[nodiscard]] inline std::uint32_t units_lost(const Observation& observation) {
    std::uint32_t sum = 0;
    for (std::size_t key = 0; key < observation.keys_count; ++key) {
        sum += units_lost(observation, key);
    }
    return sum;
}

}  // namespace lockkeeper
