// SPDX-License-Identifier: Apache-2.0

// Virtual time: an integer that stops only where something changes. Implementations keep `now` in
// their Shared, ask NextStop for the next instant that matters, and offer one kTime action that
// goes there. Whoever can act may act before; time never waits for anybody.
//
// An instant that matters is a deadline, the instant before it and the instant after it: code that
// confuses < and <= is wrong exactly there. Units are the scenario's own (milliseconds, where a
// scenario says nothing else).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "model/action.hpp"
#include "model/check.hpp"
#include "model/event.hpp"

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
    // Keeps time from going beyond `instant`.
    void no_later_than(std::int32_t instant) {
        if (next_ != kNever && next_ > instant) {
            next_ = instant > now_ ? instant : kNever;
        }
    }

    [[nodiscard]] bool exists() const { return next_ != kNever; }
    // Returns the next instant; where none exists, one later than any other.
    [[nodiscard]] std::int32_t instant() const { return next_; }

    // Appends the one kTime action, if there is an instant to go to. It may be one beyond the
    // numbers, which pass_time refuses: nothing that is still to come is left out in silence.
    void offer(ActionList& out) const {
        if (exists()) {
            out.add({0, ActionKind::kTime,
                     static_cast<std::uint16_t>(std::min(next_, kInstantMax + 1))});
        }
    }

    static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

  private:
    std::int32_t now_;
    std::int32_t next_ = kNever;
};

// The next events of one state: where time may stop, and the instant by which somebody must act.
struct Agenda {
    explicit Agenda(Instant now) : next(now) {}
    NextStop next;
    std::int32_t latest = NextStop::kNever;

    // Due at `instant`, and done at most `late` later.
    void due(std::int32_t instant, std::int32_t late) {
        next.at(instant);
        latest = std::min(latest, instant + late);
    }
    void no_later_than(std::int32_t instant) { latest = std::min(latest, instant); }

    // Time ends at `end`, which a scenario has chosen, but is not made to stop there.
    void offer(ActionList& out, std::int32_t end) {
        next.no_later_than(latest);
        if (next.instant() <= end) {
            next.offer(out);
        }
    }
    // `last` is the last instant that has a number, on any clock. What comes after it is not left
    // out in silence: pass_time refuses to go there.
    void offer_or_refuse(ActionList& out, std::int32_t last) {
        next.no_later_than(latest);
        if (next.exists() && next.instant() > last) {
            out.add({0, ActionKind::kTime, static_cast<std::uint16_t>(kInstantMax + 1)});
        } else {
            next.offer(out);
        }
    }
    // Something comes yet, but after the end of time.
    [[nodiscard]] bool is_beyond(std::int32_t end) {
        next.no_later_than(latest);
        return next.exists() && next.instant() > end;
    }
};

// Returns at least 1, because 0 is no instant. LimitExceeded: beyond the end of the numbers.
[[nodiscard]] inline Instant instant(std::int32_t value) {
    if (value > kInstantMax) {
        throw LimitExceeded("virtual time beyond " + std::to_string(kInstantMax - kBeginning));
    }
    return static_cast<Instant>(std::max(1, value));
}

// Converts to the scenario's time, whose numbers may be larger: each unit of virtual time is `unit`
// of the scenario's (scenarios/registry/time_units.hpp), counted from the beginning.
[[nodiscard]] inline std::int32_t told_in(std::int32_t unit, std::int32_t time) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp(std::int64_t{unit} * time, -kMost, kMost));
}
[[nodiscard]] inline std::int32_t told_instant(std::int32_t instant, std::int32_t unit) {
    return told_in(unit, instant - kBeginning);
}

// True: the action is the one that NextStop offers, and is done. LimitExceeded: it has no number.
template <class Shared>
[[nodiscard]] bool pass_time(Shared& shared, Action action, Event& event, std::int32_t unit = 1) {
    if (action.kind != ActionKind::kTime) {
        return false;
    }
    if (action.argument > kInstantMax) {
        throw LimitExceeded("virtual time beyond " +
                            std::to_string(told_instant(kInstantMax, unit)));
    }
    shared.now = action.argument;
    event.value = told_instant(shared.now, unit);
    return true;
}

[[nodiscard]] inline std::string text_of_instant(std::int32_t instant, std::int32_t unit = 1) {
    return std::to_string(told_instant(instant, unit));
}
[[nodiscard]] inline std::string describe_time(Action action, std::int32_t unit = 1) {
    return action.argument > kInstantMax
               ? "time goes on beyond " + text_of_instant(kInstantMax, unit)
               : "time goes on to " + text_of_instant(action.argument, unit);
}

}  // namespace lockkeeper
