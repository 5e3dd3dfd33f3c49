// Virtual time: an integer that stops only where something changes. Implementations keep `now` in
// their Shared, ask NextStop for the next instant that matters, and offer one kTime action that
// goes there. Whoever can act may act before; time never waits for anybody.
//
// An instant that matters is a deadline, the instant before it and the instant after it: code that
// confuses < and <= is wrong exactly there. Units are the scenario's own (milliseconds, where a
// scenario says nothing else).
#pragma once

#include <cstdint>
#include <string>

#include "model/action.hpp"
#include "model/check.hpp"

namespace lockkeeper {

using Instant = std::uint16_t;

// Where time begins, so that clocks that are slow, and instants before the beginning, are positive.
inline constexpr Instant kBeginning = 1000;
inline constexpr std::int32_t kInstantMax = 65'000;

class NextStop {
  public:
    explicit NextStop(Instant now) : now_(now) {}

    // Around `deadline`, as the clock that decides shows it to the rest of the world.
    void around(std::int32_t deadline) {
        at(deadline - 1);
        at(deadline);
        at(deadline + 1);
    }
    void at(std::int32_t instant) {
        if (instant > now_ && instant < next_) {
            next_ = instant;
        }
    }
    // Time does not go beyond it.
    void no_later_than(std::int32_t instant) {
        if (next_ != kNever && next_ > instant) {
            next_ = instant > now_ ? instant : kNever;
        }
    }

    [[nodiscard]] bool exists() const { return next_ != kNever; }
    // Later than any other where none exists.
    [[nodiscard]] std::int32_t instant() const { return next_; }

    // Appends the one kTime action, if there is an instant to go to.
    void offer(ActionList& out) const {
        if (exists()) {
            out.add({0, ActionKind::kTime, static_cast<std::uint16_t>(next_)});
        }
    }

  private:
    static constexpr std::int32_t kNever = kInstantMax + 1;

    std::int32_t now_;
    std::int32_t next_ = kNever;
};

// A clock that is ahead so much, after a jump. LimitExceeded: further than it can hold.
[[nodiscard]] inline std::int16_t jumped(std::int16_t ahead, std::int32_t by) {
    constexpr std::int32_t kMost = 32'767;
    if (ahead + by > kMost || ahead + by < -kMost) {
        throw LimitExceeded("a clock that has jumped by more than " + std::to_string(kMost));
    }
    return static_cast<std::int16_t>(ahead + by);
}

[[nodiscard]] inline std::string text_of_instant(std::int32_t instant) {
    return std::to_string(instant - kBeginning);
}

}  // namespace lockkeeper
