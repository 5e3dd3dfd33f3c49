// SPDX-License-Identifier: Apache-2.0

// Facts of steps and states that only reports need, beside those that properties read
// (observation.hpp). Replay asks for them, a search never does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/action.hpp"
#include "model/observation.hpp"

namespace lockkeeper {

// The party that takes a step.
enum class Doer : std::uint8_t {
    kCaller,  // the action's actor
    kServers,
    kClock,
    kWorld,  // nobody's: resizes, disturbances
};

// Returns the doer by the action's kind. A system may name another for background actions.
[[nodiscard]] constexpr Doer doer_of(Action action) {
    switch (action.kind) {
        case ActionKind::kStep:
        case ActionKind::kFault:
        case ActionKind::kCrash: return Doer::kCaller;
        case ActionKind::kBackground: return Doer::kServers;
        case ActionKind::kTime: return Doer::kClock;
        case ActionKind::kResize:
        case ActionKind::kDisturb: return is_restart(action) ? Doer::kCaller : Doer::kWorld;
    }
    return Doer::kWorld;
}

// The names of a system's parts in reports, and where a reader finds more.
struct ShownNames {
    std::string_view servers = "servers";  // who answers the callers
    std::string_view steps = {};           // the source in which each step of a caller has its case
    std::string_view page = {};            // of the documentation
};

struct StepWords {
    std::string label;      // without the doer and his operation: "update_counter db[1]"
    std::string operation;  // that the caller is in, or begins: "acquire"; empty: none
    std::string fault;      // what goes wrong; empty: nothing
    Doer doer = Doer::kWorld;
};

// How many messages between one caller and the servers have been sent and not been handled. Those
// of one count arrive in the order in which they were sent.
struct MessagesUnderWay {
    std::uint8_t request = 0;  // of the operation that the caller is in
    std::uint8_t reply = 0;
    std::uint8_t word_of_death = 0;  // what the servers will yet learn of the caller's death
    // Messages beside operations, by key: renewals, notifications.
    std::array<std::uint8_t, kKeysMax> to_servers{};
    std::array<std::uint8_t, kKeysMax> to_caller{};

    friend bool operator==(const MessagesUnderWay&, const MessagesUnderWay&) = default;
};

struct CallerShown {
    // Locks of each key that the servers count as the caller's.
    std::array<std::uint32_t, kKeysMax> granted{};
    MessagesUnderWay messages;
};

}  // namespace lockkeeper
