// SPDX-License-Identifier: Apache-2.0

// The parts of importance splitting, for measure_by_splitting and its tests. Fixed effort (Garvels
// 2000; L'Ecuyer, Demers, Tuffin 2007): a run is cut into stages by levels of a score; each stage
// makes as many runs, from where runs of the stage before crossed its level, and what it finds is
// multiplied. Unbiased for any score and any levels that are fixed beforehand.
//
// A violation counts as the crossing of all levels that are left.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "measure/sampled_run.hpp"
#include "scheduler/runs/walker.hpp"

namespace lockkeeper {

// How far a run has come towards something that hardly ever happens, as a number: what importance
// splitting makes its levels of. Whatever the score, the estimate is unbiased
// (docs/decisions/methods/sampled_rates.md); a good one makes its interval narrow.
// learn_plan (shared_splitting.hpp) tries all of them in pilot runs.

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

// Learned from pilot runs: a score, and levels that about one run in five crosses.
struct SplittingPlan {
    Score score = Score::kLongestCall;
    std::vector<std::int64_t> levels;
    // For one run a stage: relative variance by independent stages, and steps.
    double variance = 0;
    double steps = 0;

    // The work for an estimate of some width: the smaller, the better.
    [[nodiscard]] double work() const { return variance * steps; }
};

// One independent estimate.
struct SplittingEstimate {
    double per_run = 0;
    double count = 0;
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    std::uint64_t crossed_first = 0;  // of the first stage
    std::uint64_t runs_of_first = 0;
    std::string limit;  // ended in its midst: not to be used
};

// Asked now and then; false: stop. Tests leave it out.
using MayGoOn = std::function<bool()>;

class Splitting {
  public:
    // Estimates the property at `place` in options.check. The options live as long.
    Splitting(const MakeWalker& make_walker, const MeasureOptions& options, std::size_t place);

    // Plans within so many steps; nothing where the score did not lead to a violation.
    [[nodiscard]] std::optional<SplittingPlan> learn(Score score, std::uint64_t steps_max,
                                                     const MayGoOn& may_go_on = {});
    // Estimate `number` of the seed.
    [[nodiscard]] SplittingEstimate estimate(const SplittingPlan& plan, std::uint64_t number,
                                             std::uint64_t runs_of_stage,
                                             const MayGoOn& may_go_on = {});

  private:
    static constexpr std::int64_t kViolated = std::numeric_limits<std::int64_t>::max();

    // A run where it stands.
    struct Particle {
        std::vector<std::byte> state;
        ScoreKeeper keeper;
        std::uint64_t steps = 0;
        std::int64_t score = 0;  // kViolated: it has
    };
    struct Stage {
        std::vector<Particle> crossed;
        std::uint64_t steps = 0;
        double count = 0;  // of the last stage: violations
        bool is_whole = true;
    };

    [[nodiscard]] Particle first(Score score);
    // Goes on until the score reaches `level`, or the run ends; says how far it ever came. At
    // kViolated goes on to the end and adds up the violations.
    std::int64_t go_on(Particle& particle, Score score, std::int64_t level, Random& random,
                       double& count);
    bool step(Particle& particle, Score score, Walk& walk);
    [[nodiscard]] Stage stage(const std::vector<Particle>& from, Score score, std::int64_t level,
                              std::uint64_t runs, Random& random, const MayGoOn& may_go_on);
    // The furthest that each run from `from` comes, in ascending order.
    [[nodiscard]] std::vector<std::int64_t> furthest(const std::vector<Particle>& from, Score score,
                                                     Random& random, std::uint64_t& steps,
                                                     std::uint64_t steps_max,
                                                     const MayGoOn& may_go_on);

    const MeasureOptions& options_;
    std::uint64_t target_;
    std::unique_ptr<Walker> walker_;
    Violations violations_;
    Observation scratch_{};
};

}  // namespace lockkeeper
