// SPDX-License-Identifier: Apache-2.0

// The time limit of waiting for outside code. Used by whoever talks to it and by the searches.
#pragma once

#include <algorithm>
#include <chrono>

namespace lockkeeper {

using SteadyClock = std::chrono::steady_clock;
using Moment = SteadyClock::time_point;

// Ends all waiting with Stopped, within a few hundredths of a second.
struct StopRule {
    Moment at = Moment::max();
    bool at_interrupt = true;
};

// The moment `seconds` after `start`; never, from kNever seconds on.
[[nodiscard]] inline Moment moment_after(double seconds, Moment start = SteadyClock::now()) {
    constexpr double kNever = 1e9;
    return seconds >= kNever ? Moment::max()
                             : start + std::chrono::duration_cast<SteadyClock::duration>(
                                           std::chrono::duration<double>(std::max(seconds, 0.0)));
}

}  // namespace lockkeeper
