// SPDX-License-Identifier: Apache-2.0

// An instant at which something has to end, given as seconds from now. 1e9 seconds or more: never.
#pragma once

#include <algorithm>
#include <chrono>

namespace lockkeeper {

inline constexpr double kNoTimeLimit = 1e18;

// A search that has found violations uses this share of its time; shrinking has the rest.
inline constexpr double kSearchShare = 0.9;

class Deadline {
  public:
    explicit Deadline(double seconds = kNoTimeLimit) : seconds_(seconds) {}

    [[nodiscard]] bool is_past() const { return seconds_ < kNever && elapsed() >= seconds_; }
    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - began_).count();
    }
    // Seconds; not below 0.
    [[nodiscard]] double left() const {
        return seconds_ < kNever ? std::max(0.0, seconds_ - elapsed()) : kNoTimeLimit;
    }
    // Seconds: the rest of it, or `own` where that is less.
    [[nodiscard]] double left(double own) const { return std::min(own, left()); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr double kNever = 1e9;

    double seconds_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace lockkeeper
