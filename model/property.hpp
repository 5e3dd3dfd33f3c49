// SPDX-License-Identifier: Apache-2.0

// A promise that can be judged. Properties are data: name, number, definition in one sentence and
// a predicate over what implementations show. Each stands in a file in properties/rules/.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/event.hpp"
#include "model/observation.hpp"

namespace lockkeeper {

enum class PropertyKind : std::uint8_t {
    kAlways,        // judged on each step whose event has one of the `triggers`
    kAtQuiescence,  // judged on each state in which nothing is in flight
    kEventually,    // judged on the explored graph (deadlock: an end; livelock: a fair cycle)
    kSometimes,     // a goal: must be reached by some step
    kHistory,       // judged on the calls and returns of outside code (validate/programs)
};

enum class Severity : std::uint8_t { kNotice, kWarning, kError, kFatal };

// The monitor that the world must keep in its states so that the property can be judged.
enum class Monitor : std::uint8_t { kNone, kOthersDuringCall };

// Properties that code knows by more than their rule: searches find ends and cycles, measures know
// which last, runs of programs note them. The numbers are the catalogue's.
enum class PropertyNumber : int {
    kOverAllocation = 1,
    kLeak = 2,
    kUnderAllocation = 3,
    kDoubleRelease = 4,
    kCallerDeath = 10,
    kDeadlock = 13,
    kLivelock = 14,
    kBeliefOverlap = 17,
    kGrantOverlap = 18,
    kFalseOk = 21,
    kTokenOrder = 23,
    kUnexplainedHistory = 29,
    kOverRate = 31,
    kUnderRate = 32,
};

// True when the promise is broken (or, for a goal, when it is reached).
using Predicate = bool (*)(const Observation&, const Event&);

struct Property {
    int number = 0;  // 1-based, stable: reports and assertions cite it as P<number>
    std::string_view name = {};
    std::string_view definition = {};  // one sentence
    std::string_view example = {};     // for docs/reference/properties.md
    PropertyKind kind = PropertyKind::kAlways;
    Severity severity = Severity::kError;
    std::uint32_t triggers = 0;  // EventBits, for kAlways and kSometimes
    std::uint32_t needs = 0;     // ObservedFeatures without which it does not apply
    Monitor monitor = Monitor::kNone;
    bool needs_observation = false;  // kAlways: the rule reads the state, too, which costs more
    Predicate holds_not = nullptr;   // null for kEventually and kHistory: no step decides

    [[nodiscard]] constexpr bool is(PropertyNumber which) const {
        return number == static_cast<int>(which);
    }
};

}  // namespace lockkeeper
