// SPDX-License-Identifier: Apache-2.0

// A run of `fuzz` between the worker (or the rank) that has made it and the search that takes it,
// and who makes runs, whatever the System.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "model/schedule.hpp"
#include "scheduler/runs/seen_steps.hpp"
#include "scheduler/runs/simulator.hpp"

namespace lockkeeper {

enum class RunMade : std::uint8_t {
    kMade,
    kSkipped,  // one of a smaller number ends the search, as far as its maker knows
    kTimeUp,
    kInterrupted,
};

struct MadeRun {
    RunMade is = RunMade::kSkipped;  // all else is said of a run that was made
    std::uint64_t seed = 0;
    std::string by;            // the strategy, or "corpus"
    std::uint32_t length = 0;  // that the strategy was told to expect; 0: it was told none
    std::uint64_t steps = 0;
    Run run;                                    // its actions only where somebody will ask for them
    std::optional<std::size_t> nondeterminism;  // at this step, where it was looked for
    RunSteps seen;                              // of a run by feedback
    std::exception_ptr error;                   // instead of all that
};

// Makes runs, one after the other; each depends on its number only, and on the length that is
// expected, or on what has been seen. Every worker has one.
class AnyRunMaker {
  public:
    AnyRunMaker() = default;
    AnyRunMaker(const AnyRunMaker&) = delete;
    AnyRunMaker& operator=(const AnyRunMaker&) = delete;
    virtual ~AnyRunMaker() = default;

    virtual void make_known(const Schedule& known, MadeRun& made) = 0;
    virtual void make(std::uint64_t number, std::uint32_t length, MadeRun& made) = 0;
    // By feedback.
    virtual void make(std::uint64_t number, const SeenSteps& seen, MadeRun& made) = 0;
};

}  // namespace lockkeeper
