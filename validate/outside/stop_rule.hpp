// SPDX-License-Identifier: Apache-2.0

// Until when outside code is waited for. Used by whoever talks to it and by the searches.
#pragma once

#include <algorithm>
#include <chrono>

namespace lockkeeper {

using SteadyClock = std::chrono::steady_clock;
using Moment = SteadyClock::time_point;

// What ends all waiting with Stopped, within a few hundredths of a second.
struct StopRule {
    Moment at = Moment::max();
    bool at_interrupt = true;
};

// `seconds` from `start` on; what no clock will ever show is never.
[[nodiscard]] inline Moment moment_after(double seconds, Moment start = SteadyClock::now()) {
    constexpr double kNever = 1e9;
    return seconds >= kNever ? Moment::max()
                             : start + std::chrono::duration_cast<SteadyClock::duration>(
                                           std::chrono::duration<double>(std::max(seconds, 0.0)));
}

}  // namespace lockkeeper
