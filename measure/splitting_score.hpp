// SPDX-License-Identifier: Apache-2.0

// How far a run has come towards something that hardly ever happens, as a number: what importance
// splitting makes its levels of. Whatever the score, the estimate is unbiased
// (docs/decisions/methods/sampled_rates.md); a good one makes its interval narrow.
// learn_plan (shared_splitting.hpp) tries all of them in pilot runs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "scheduler/runs/walker.hpp"

namespace lockkeeper {

enum class Score : std::uint8_t {
    kLongestCall,     // steps of a caller in its call under way; of all callers the most
    kHighestCounter,  // of all keys and buckets
    kLowestCounter,   // negated
    kHolders,         // who believe to hold a key, of all keys the most
    kUncounted,       // holders that the counters do not know of
    kLost,            // counted units that nobody holds
    kMishaps,         // crashes, faults, forced releases and refusals so far
};
inline constexpr std::array<Score, 7> kScores{
    Score::kLongestCall, Score::kHighestCounter, Score::kLowestCounter, Score::kHolders,
    Score::kUncounted,   Score::kLost,           Score::kMishaps};

[[nodiscard]] std::string_view name_of(Score score);

// Follows one run. Part of what is saved and loaded with its state.
class ScoreKeeper {
  public:
    // After the step that showed `event`; `walker` stands behind it.
    [[nodiscard]] std::int64_t after(Score score, const Walker& walker, const Event& event,
                                     Observation& scratch);
    [[nodiscard]] std::int64_t at_begin(Score score, const Walker& walker, Observation& scratch);

  private:
    [[nodiscard]] std::int64_t longest_call(const Event& event);

    std::array<std::uint16_t, kCallersMax> steps_of_call_{};
    std::int64_t mishaps_ = 0;
};

}  // namespace lockkeeper
