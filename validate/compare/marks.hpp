// SPDX-License-Identifier: Apache-2.0

// The marks of a candidate's run, which a reference driven step by step has to meet: calls, their
// returns, faults, and instants. Between two marks the reference chooses its own steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "validate/compare/candidate.hpp"

namespace lockkeeper::against {

struct Mark {
    enum class Kind : std::uint8_t {
        kCalled,    // `call` may begin from here on
        kReturned,  // it has returned by here
        kTime,      // it is `instant` here
        kHappens,   // the action happens here, too: a death, a resize
        kMayHappen  // or not: a disturbance
    };
    Kind kind = Kind::kCalled;
    std::size_t action = 0;  // index in ObservedRun::actions
    std::size_t call = 0;    // index in ObservedRun::calls
    std::int32_t instant = 0;
    Action taken;

    // The action of the run is what leads to this mark.
    [[nodiscard]] bool follows_its_action() const {
        return kind == Kind::kReturned || kind == Kind::kTime;
    }
};

// A step of the candidate that went wrong, within a call.
struct StepFault {
    std::size_t call = 0;
    std::uint16_t argument = 0;
};

struct Marks {
    std::vector<Mark> marks;
    std::vector<StepFault> faults;
    // By mark, one more than there are: the call that each caller has open before it.
    std::vector<std::vector<std::optional<std::size_t>>> open;
    std::vector<std::uint16_t> sleeps;   // from one instant to the next
    std::vector<std::int32_t> instants;  // by action: when it is over
};

[[nodiscard]] Marks marks_of(const ObservedRun& run);

}  // namespace lockkeeper::against
