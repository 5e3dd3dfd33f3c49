// SPDX-License-Identifier: Apache-2.0

// The effect of a step of outside code, as far as it decides whether two steps commute. Runs whose
// steps say what they touch (WireRun) fill it in. The search reads it and explores only one order
// of commuting steps (source_sets.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockkeeper {

struct KeyUse {
    std::string key;  // with the number of its server
    bool writes = false;
};

// The state that a request to a server can see and change: keys, and the server's scripts.
struct KeyFootprint {
    bool everything = false;
    bool loads_script = false;  // the server knows it from then on
    bool needs_script = false;  // asks for one by its hash
    bool listens = false;       // begins or ends to receive messages
    bool may_tell = false;      // may send messages, on unknown channels
    std::vector<KeyUse> keys;

    KeyFootprint& operator+=(const KeyFootprint& other);
};

[[nodiscard]] bool commute(const KeyFootprint& left, const KeyFootprint& right);

struct StepEffect {
    enum Event : std::uint32_t {
        kAcquireCalled = 1U << 0,
        kBeliefBegins = 1U << 1,
        kRefusal = 1U << 2,
        kReleaseCalled = 1U << 3,  // or a belief ends in another way
        kReleaseReturned = 1U << 4,
        kFaults = 1U << 5,      // a kill or a loss, whose number the scope limits
        kChanged = 1U << 6,     // what the server stores, where a fail-over loses the last change
        kCallerDone = 1U << 7,  // a caller: after the last one no fault is possible any more
        kOfDone = 1U << 8,      // a fault for which no caller has to be under way
        kEverything = 1U << 9,
    };
    std::uint8_t caller = 0;
    std::uint32_t events = 0;
    KeyFootprint footprint;
    // Connections that received something which another party's step had caused, or from which
    // such input was taken.
    std::vector<std::uint32_t> inboxes = {};
};
// Both orders lead to the same state, and neither step makes the other impossible.
[[nodiscard]] bool commute(const StepEffect& left, const StepEffect& right);

}  // namespace lockkeeper
