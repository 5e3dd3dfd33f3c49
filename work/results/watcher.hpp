// SPDX-License-Identifier: Apache-2.0

// Told by work/ while it works where it is. The command shows a line (reports/progress.hpp);
// whoever wants nothing uses a plain Watcher. May be called as often as one likes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace lockkeeper {

struct ExploreProgress;
struct FuzzProgress;
struct RanksUse;
namespace proofs {
struct ProofProgress;
}  // namespace proofs

// States while the graph is built, runs while it is sampled.
struct MeasureProgress {
    std::uint64_t done = 0;
    double seconds = 0;
};

// The limits of the search, for the estimate of the time that is left.
struct ProgressLimits {
    std::uint64_t count = 0;  // of schedules or runs; 0: not known
    double seconds = std::numeric_limits<double>::infinity();
};

class Watcher {
  public:
    Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    virtual ~Watcher() = default;

    // `seconds` since the search began; less than before: another one has begun.
    virtual void show(const ExploreProgress& /*progress*/) {}
    virtual void show(const FuzzProgress& /*progress*/) {}
    virtual void show(const MeasureProgress& /*progress*/) {}
    virtual void show(const proofs::ProofProgress& /*progress*/) {}
    // Once, for somebody who reads along: a hint, a checkpoint; how ranks shared an exploration.
    virtual void say(const std::string& /*line*/) {}
    virtual void say(const RanksUse& /*ranks*/, std::uint64_t /*transitions*/) {}
    // Nothing is to be seen of it any more: what comes next is a result, or an error.
    virtual void wipe() {}
};

}  // namespace lockkeeper
