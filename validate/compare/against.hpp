// SPDX-License-Identifier: Apache-2.0

// One implementation beside another: the candidate is driven by random schedules, step by step; the
// reference says what one call after the other answers. Called by `validate --against`.
//
// A run of the candidate is a history of calls and deaths. It is explained when they can be put in
// an order in which the reference gives the same answers (and, where both show counters, at rest
// counts the same units in use): a call somewhere between its call and its return; a death
// somewhere after it happened, with its clean-up, step by step, still later; a call that its caller
// died in whole, in part or not at all. A call sees as many resizes as had happened when it began.
// Else the longest part that can be explained ends at a call whose answer differs:
//
//   stricter   refused, where the reference grants
//   looser     granted, where the reference refuses
//   wrong      anything else: another count, an error, a death, a call that never returns, a leak,
//              a program that misbehaves
//
// Calls that have not returned may have happened or not; where nobody can go on, they must not
// return from the reference either.
//
// Whole calls do not suffice where calls take time, or where the system's own faults can happen.
// The reference is then driven step by step, beside the instants of the candidate's run
// (step_search.hpp).
//
// Limits: 64 calls and deaths a run, where whole calls are ordered; so many orders or states tried,
// beyond which a run is undecided.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/candidate.hpp"

namespace lockkeeper::against {

struct Side {
    ErasedSystem system;
    std::uint32_t features = 0;  // ObservedFeatures
};

// The same system for each number of resizes that have happened. Calls that follow resizes begin
// with that number's view. A state of one of these systems is a state of all.
struct Reference {
    std::vector<ErasedSystem> by_resizes;
    std::uint32_t features = 0;
    // Where it is set, the reference is driven step by step (step_search.hpp). It makes the system
    // from a run's sleeps between instants. With has_clock the system has one caller more than the
    // candidate, the last, which sleeps so.
    std::function<ErasedSystem(const std::vector<std::uint16_t>& sleeps)> step_by_step = {};
    bool has_clock = false;
    // Candidate and reference are of one system: the grants in servers' records mean the same.
    bool is_variant = false;
};

class Against {
  public:
    // Both made from one scenario; counts and units are compared where both show them.
    Against(Side candidate, Reference reference);
    // The candidate's answers may tell a count or not. A look at the end has judged its units.
    Against(std::unique_ptr<Candidate> candidate, Reference reference);

    [[nodiscard]] ObservedRun run_at_random(std::uint64_t seed, std::uint64_t steps_max) const;
    // Actions that are not possible are passed over; ends with them.
    [[nodiscard]] ObservedRun run(const std::vector<Action>& actions) const;
    [[nodiscard]] Explanation explain(const ObservedRun& observed) const;
    // Fewer actions with a difference of the same kind; ends with the step that shows it.
    // `may_go_on` is asked before each run.
    [[nodiscard]] ObservedRun shrink(const ObservedRun& observed, Difference kind,
                                     const std::function<bool()>& may_go_on) const;

  private:
    [[nodiscard]] std::optional<ObservedRun> up_to_difference(const std::vector<Action>& actions,
                                                              Difference kind) const;

    std::unique_ptr<Candidate> candidate_;
    Reference reference_;
    bool compares_counts_;
    bool compares_units_;
    bool compares_grants_;
};

struct CompareLimits {
    std::uint64_t schedules_max = 1'000;
    std::uint64_t steps_max = 10'000;  // of one schedule
    double seconds_max = 1e18;
    // Asked before each schedule, and while it shrinks. True: memory has come to its limit.
    std::function<bool()> is_full = {};
};

// Runs random schedules of the candidate one after the other, finds the worst kind of difference,
// and shrinks the first of that kind. Throws Misbehaved where a program cannot be used at all.
[[nodiscard]] Compared compare(const Against& against, std::uint64_t seed,
                               const CompareLimits& limits);

}  // namespace lockkeeper::against
