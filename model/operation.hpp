// SPDX-License-Identifier: Apache-2.0

// One operation of a caller's script, as passed to each step of its call. Operations are plain
// values outside of the states: a state only knows how far each caller has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockkeeper {

enum class Verb : std::uint8_t {
    kAcquire,
    kRelease,
    kExit,  // the caller's process ends, holding whatever it holds
    // How scripts wait for each other. Neither is a call: a caller that waits is at rest.
    kSignal,
    kWait,
    // Decides whether the operations that follow are run; no step of its own.
    kIfHolding,
    // Another operation of the implementation, named by its own word: write, renew, savepoint ...
    kCall,
    // The caller does nothing until so much virtual time has passed.
    kSleep,
};

// Signals of one scenario, and how far each of them counts.
inline constexpr std::size_t kSignalsMax = 16;
inline constexpr unsigned kSignalCountMax = 255;

struct Operation {
    Verb verb = Verb::kAcquire;
    std::uint8_t key = 0;
    // Locks of the key that a place has room for, and the places that the caller sees. With
    // `follows_resizes` these are the scenario's current ones at the moment the call begins, and a
    // release passes what its acquire remembered.
    std::uint16_t place_capacity = 1;
    std::uint16_t places = 1;
    bool follows_resizes = false;
    // acquire: a refused call is begun again until it succeeds.
    bool until_acquired = false;
    // release: called even when the caller holds nothing of the key (a misuse, to be expressible).
    bool unchecked = false;
    // signal, wait: which one, and how much is added, or has to be there.
    std::uint8_t signal = 0;
    std::uint8_t amount = 1;
    // wait: takes nothing away; everybody passes once the signal is there.
    bool keep = false;
    // call: which one. In a parsed scenario an index of WorldConfig::words; the maker of the system
    // puts the implementation's own number there, and what the world has to know of it:
    std::uint8_t word = 0;
    bool needs_lock = false;  // passed over by a caller that does not hold the key
    bool gives_up = false;    // the caller holds one lock of the key less from now on
    // Never in a script: the fault that the next step of the call meets (Traits::faults); 0: none.
    std::uint8_t fault = 0;
    // sleep: units of virtual time; call, acquire: what the implementation makes of it.
    std::uint32_t number = 0;
    // if_holding: so many of the operations that follow are passed over by a caller that holds
    // nothing of the key when it gets here.
    std::uint32_t governs = 0;

    [[nodiscard]] std::uint32_t capacity() const {
        return static_cast<std::uint32_t>(place_capacity) * places;
    }
    // How long a sleep lasts, or another operation that takes a time.
    [[nodiscard]] std::int32_t time() const { return static_cast<std::int32_t>(number); }
    friend bool operator==(const Operation&, const Operation&) = default;
    [[nodiscard]] bool uses_signal() const { return verb == Verb::kSignal || verb == Verb::kWait; }
};

[[nodiscard]] constexpr std::string_view name_of(Verb verb) {
    switch (verb) {
        case Verb::kAcquire: return "acquire";
        case Verb::kRelease: return "release";
        case Verb::kExit: return "exit";
        case Verb::kSignal: return "signal";
        case Verb::kWait: return "wait";
        case Verb::kIfHolding: return "if_holding";
        case Verb::kCall: return "call";
        case Verb::kSleep: return "sleep";
    }
    return "?";
}

}  // namespace lockkeeper
