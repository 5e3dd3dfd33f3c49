// A promise that can be judged. Properties are data: name, number, definition in one sentence and
// a predicate over what implementations show. The catalogue stands in properties/.
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
};

enum class Severity : std::uint8_t { kNotice, kWarning, kError, kFatal };

// What the world has to carry along in its states so that the property can be judged.
enum class Monitor : std::uint8_t { kNone, kOthersDuringCall };

// Those that somebody knows by more than their rule: searches find ends and cycles, measures know
// which last. The numbers are the catalogue's.
enum class PropertyNumber : int {
    kOverAllocation = 1,
    kDeadlock = 13,
    kLivelock = 14,
    kBeliefOverlap = 17,
    kGrantOverlap = 18,
};

// True when the promise is broken (or, for a goal, when it is reached).
using Predicate = bool (*)(const Observation&, const Event&);

struct Property {
    int number;  // 1-based, stable: reports and assertions cite it as P<number>
    std::string_view name;
    PropertyKind kind;
    Severity severity;
    std::uint32_t triggers;  // EventBits, for kAlways and kSometimes
    std::uint32_t needs;     // ObservedFeatures without which it does not apply
    Monitor monitor;
    bool needs_observation;  // false: the event alone decides (the hot path skips observe)
    Predicate holds_not;     // null for kEventually, which the graph decides
    std::string_view definition;

    [[nodiscard]] constexpr bool is(PropertyNumber which) const {
        return number == static_cast<int>(which);
    }
};

}  // namespace lockkeeper
