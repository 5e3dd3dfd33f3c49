// SPDX-License-Identifier: Apache-2.0

// What a step of outside code did, as far as its order with others may matter: which orders of two
// steps lead to the same. Filled in by runs whose steps say what they touch (WireRun); read by the
// search, which looks at one of such orders only (source_sets.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockkeeper {

struct KeyUse {
    std::string key;  // with the number of its server
    bool writes = false;
};

// What a request to a server can see and change: keys, and the scripts that the server knows.
struct KeyFootprint {
    bool everything = false;
    bool loads_script = false;  // the server knows it from then on
    bool needs_script = false;  // asks for one by its hash
    bool listens = false;       // is told of messages from then on, or no longer
    bool may_tell = false;      // may send some, nobody knows on which channels
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
        kFaults = 1U << 5,      // a kill or a loss, of which the scope allows so many
        kChanged = 1U << 6,     // what the server stores, where a fail-over loses the last change
        kCallerDone = 1U << 7,  // a caller: after the last one no fault is possible any more
        kOfDone = 1U << 8,      // a fault for which no caller has to be under way
        kEverything = 1U << 9,
    };
    std::uint8_t caller = 0;
    std::uint32_t events = 0;
    KeyFootprint footprint;
    // Connections to which something has come that the step of somebody else has caused, or from
    // which that was taken.
    std::vector<std::uint32_t> inboxes = {};
};
// In either order they lead to the same, and neither makes the other impossible.
[[nodiscard]] bool commute(const StepEffect& left, const StepEffect& right);

}  // namespace lockkeeper
