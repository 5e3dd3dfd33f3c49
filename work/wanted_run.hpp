// SPDX-License-Identifier: Apache-2.0

// Has a lock a run in which operations have given answers, and some end before others begin? A
// search of all interleavings of the lock's own atomic steps with that. Used by save_incident.cpp.
//
// Each caller's operations come in their order. Sleeps, time and what the lock does by itself come
// whenever they can. Faults do not happen. Deterministic, and bounded by `states_max`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/operation.hpp"
#include "model/schedule.hpp"

namespace lockkeeper {

enum class WantedAnswer : std::uint8_t {
    kAny,
    kOk,
    kRefused,
    kEffect,  // a write that takes effect
};

struct WantedOperation {
    std::size_t caller = 0;  // of the system
    Verb verb = Verb::kAcquire;
    WantedAnswer answer = WantedAnswer::kAny;
    std::vector<std::size_t> after = {};  // operations that have returned before this one begins
    bool must_return = true;              // false: only if operations of its caller follow
};

struct WantedRun {
    bool is_found = false;
    bool is_complete = true;  // false: `states_max` or `stop` came first
    Schedule schedule;        // that leads there, or as far as any does
    std::size_t missed = 0;   // not found: the first operation that has not returned as wanted
    std::string why;          // not found: what happens there instead
    // Not found: the caller that was to go on had learned by this virtual time, in the scenario's
    // units, that it holds no longer.
    std::optional<std::int32_t> lost_at;
    std::uint64_t states = 0;
    std::string different = {};  // not empty: a program is not deterministic, and how it differed
};

struct WantedLimits {
    std::uint64_t states_max = 200'000;
    std::function<bool()> stop = nullptr;
    std::uint64_t bytes_max = UINT64_MAX;  // of the states that are known, of a program
};

[[nodiscard]] WantedRun find_wanted_run(const ErasedSystem& system,
                                        const std::vector<WantedOperation>& operations,
                                        const WantedLimits& limits = {});

}  // namespace lockkeeper
