// SPDX-License-Identifier: Apache-2.0

// A run that the search found, told again: each line at its time, what no line shows, lines that
// must be missing, and from when to when each caller held. Made once for an answer (explain.hpp).
#pragma once

#include <optional>
#include <vector>

#include "validate/logs/walk.hpp"

namespace lockkeeper::logs {

// One thing that happened, at some time of a window.
struct Moment {
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
    std::optional<Place> line;  // nothing: no line shows it
    std::uint32_t caller = kNobody;
    LockCode code = LockCode::kAcquire;
    bool is_refused = false;
    bool is_served = false;   // the lock carries an operation out
    bool is_hidden = false;   // and no line shows that anybody asked for it
    bool is_stray = false;    // and nobody knows the answer
    bool is_outside = false;  // an effect of a caller that does not hold
};

struct LostLine {
    std::uint32_t caller = 0;
    LockCode code = LockCode::kAcquire;
    Seen seen = Seen::kAnswer;
    std::int64_t time = 0;
    bool is_due = true;  // false: the answer of a call, whose caller may have died
};

enum class Ended : std::uint8_t { kNot, kReleased, kRanOut };

// A caller held from some time of the first window to some time of the second.
struct Holding {
    std::uint32_t caller = 0;
    std::int64_t from_earliest = 0;
    std::int64_t from_latest = 0;
    Ended ended = Ended::kNot;
    std::int64_t end_earliest = kNever;  // kRanOut, and leases that still run: when they end
    std::int64_t end_latest = kNever;
};

struct Retold {
    std::vector<Moment> moments;  // by time
    std::vector<LostLine> lost;
    std::vector<Holding> holdings;  // by their begin
    WalkState end;                  // after the last step
};

[[nodiscard]] Retold retell(const Problem& problem, const std::vector<Step>& steps);

}  // namespace lockkeeper::logs
