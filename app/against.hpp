// One implementation beside another: the candidate is driven by random schedules, step by step; the
// reference says what one call after the other answers. Called by `validate --against`.
//
// A run of the candidate is a history of calls. It is explained when the calls can be put in an
// order, each somewhere between its call and its return, in which the reference gives the same
// answers (and, where both show counters, at rest counts the same units in use). Else the longest
// part that can be explained ends at a call whose answer differs:
//
//   stricter   refused, where the reference grants
//   looser     granted, where the reference refuses
//   wrong      anything else: another count, an error, a death, a call that never returns, a leak,
//              a program that misbehaves
//
// Calls that have not returned may have happened or not. Limits: no faults, crashes, resizes or
// time are chosen; 64 calls a run; so many orders tried, beyond which a run is undecided.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/against_candidate.hpp"

namespace lockkeeper::against {

enum class Difference : std::uint8_t { kNone, kUndecided, kStricter, kLooser, kWrong };
[[nodiscard]] std::string_view name_of(Difference difference);

struct Explanation {
    Difference difference = Difference::kNone;
    std::optional<std::size_t> call;  // index in ObservedRun::calls
    std::string expected;             // what the reference answers there
    std::size_t explained = 0;        // calls before it
};

struct Side {
    ErasedSystem system;
    std::uint32_t features = 0;  // ObservedFeatures
};

class Against {
  public:
    // Both made from one scenario; counts and units are compared where both show them.
    Against(Side candidate, Side reference);
    // One whose answers tell a count or do not, and whose units a look at the end has judged.
    Against(std::unique_ptr<Candidate> candidate, Side reference);

    [[nodiscard]] ObservedRun run_at_random(std::uint64_t seed, std::uint64_t steps_max) const;
    // Actions that are not possible are passed over; ends with them.
    [[nodiscard]] ObservedRun run(const std::vector<Action>& actions) const;
    [[nodiscard]] Explanation explain(const ObservedRun& observed) const;
    // Fewer actions with a difference of the same kind; ends with the step that shows it.
    [[nodiscard]] ObservedRun shrink(const ObservedRun& observed, Difference kind) const;

  private:
    std::unique_ptr<Candidate> candidate_;
    ErasedSystem reference_;
    bool compares_counts_;
    bool compares_units_;
};

}  // namespace lockkeeper::against
