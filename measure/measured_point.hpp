// SPDX-License-Identifier: Apache-2.0

// Measuring one prepared scenario: exact where the graph is small enough, sampled where not, both
// where both are cheap. Also the gate of `max_rate`: whether rates are within their bounds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "measure/measure.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

// From measured rates and a load to the sentences that an operator needs. Called by the verb
// `measure` when the scenario has "traffic".
//
// Everything is per acquire: what a run loses, by what it acquires, times the acquires of a day.
// Assumed: losses come one by one, independently, at this constant rate, until the key is
// restarted empty; the callers of the scenario stand for all callers; nothing is won back.
// An interval is made of the ends of the figures' intervals: with two sampled figures of confidence
// c it covers with at least 2c - 1. Units: seconds, units of capacity, events a day.
// Errors: none. Infinite where nothing is lost.

struct Load {
    double acquires_per_second = 0;  // above 0; of the key
    double capacity = 0;             // units of the key; 0: a lock without such
    double share = 0.01;             // of the capacity that may be lost before a restart
};

struct EventsPerDay {
    const Property* property = nullptr;
    Figure per_day;
};

struct Forecast {
    Load load;
    std::vector<EventsPerDay> events;  // of each property
    // The rest of locks that have a capacity, and of scenarios whose runs end: what a run that goes
    // on for ever has lost at its end is nobody's figure.
    bool has_capacity = false;
    Figure units_per_acquire;  // lost
    Figure units_per_day;      // lost
    Figure seconds_to_seizure;
    Figure restart_seconds;  // a restart as often keeps the expected loss under the share
};

[[nodiscard]] Forecast forecast_of(const MeasureResult& measured, const Load& load);

// Exact figures beside sampled ones of the same system and law.
enum class ComparedFigure : std::uint8_t {
    kPerRun,
    kCountPerRun,
    kPerAcquire,
    kSecondsToFirst,
    kViolatingSeconds,
    kOverlapLasts,
    kOverlapLastsIfAny,
    kCapacityLost,
    kAcquiresPerRun,
    kSecondsPerRun,
};
struct FigureDifference {
    const Property* property = nullptr;  // null: a figure of the whole run
    ComparedFigure which = ComparedFigure::kPerRun;
    Figure exact;
    Figure sampled;
};

struct Agreement {
    MeasureResult sampled;      // beside the exact result; of fewer runs
    std::uint64_t figures = 0;  // compared: all probabilities, and means of what is not rare
    std::optional<FigureDifference> difference;  // the first

    [[nodiscard]] bool agrees() const { return !difference; }
};

// Whether every exact figure meets its sampled interval: the probabilities always, because their
// intervals are exact (Clopper-Pearson); a mean where it is one of every run, or of something that
// happened in at least so many runs: the intervals of means are asymptotic, and of a few rare runs
// they say too little. `sampled` has the same properties, in the same order, and no run that was
// cut.
inline constexpr std::uint64_t kHitsOfAMean = 1'000;
[[nodiscard]] Agreement compared(const MeasureResult& exact, MeasureResult sampled);

class Runner;

// Where nothing else is said, graphs up to this size are solved, larger ones sampled.
inline constexpr std::uint64_t kExactStates = 1'000'000;
// A check by sampling is cheap up to here. Its intervals are so wide that a disagreement is an
// error of the harness, not chance: one in a million.
inline constexpr std::uint64_t kCheckRuns = 20'000;
inline constexpr std::uint64_t kCheckSteps = 2'000;  // of one run
inline constexpr double kCheckConfidence = 0.999999;
inline constexpr double kGateConfidence = 0.99;

// Why an exact result was not compared with a sampled one. Only runs that end say how probable
// something is in a run.
struct RunsNeverEnd {};
struct RunsWereCut {
    std::uint64_t cut = 0;
    std::uint64_t runs = 0;
};
struct SamplingEnded {
    std::string limit;
};
using NotCompared = std::variant<std::monostate, RunsNeverEnd, RunsWereCut, SamplingEnded>;

// One system with one choice of parameters.
struct MeasuredPoint {
    std::string system;
    std::string variant;
    std::string scope;                               // see scope_text
    std::vector<std::pair<std::string, double>> at;  // the swept parameters
    double capacity = 0;                             // of the first key; 0: it has none
    MeasureResult result;
    std::optional<Agreement> agreement;
    NotCompared not_compared;
    std::optional<Forecast> forecast;
};

// `max_rate` of the scenario, by one property.
struct RateCheck {
    const Property* property = nullptr;
    double bound = 0;
    Figure rate;  // per run
    MeasureMethod method = MeasureMethod::kExact;
    std::optional<bool> met;  // nothing: not decided
};

// Properties that have a rate: livelock is one of cycles, not of runs.
[[nodiscard]] std::vector<const Property*> measurable(const std::vector<const Property*>& check);

// The options for measuring a scenario and its checked properties: its limits and its seed laid
// over `options`. BadInput: too many properties.
[[nodiscard]] MeasureOptions measure_options_of(const Scenario& scenario,
                                                const std::vector<const Property*>& check,
                                                const Law& law, MeasureOptions options);

// `runner` is that of `scenario`. With kAuto and unless `states_are_given`, no more states are
// tried exactly than kExactStates. `loss_share`: of a forecast, see Load. Leaves scope and `at`
// empty.
[[nodiscard]] MeasuredPoint measure_point(const Runner& runner, const Scenario& scenario,
                                          const MeasureOptions& options, bool states_are_given,
                                          double loss_share);

// Whether the largest probability is below `bound`. Sampled: the answer of the sequential test,
// about all properties together. Exact: by the proved bounds of each.
struct BelowCheck {
    const PropertyRates* largest = nullptr;
    std::optional<bool> is_below;  // nothing: not decided
};
[[nodiscard]] BelowCheck check_below(const MeasureResult& result, double bound);

using RateBounds = std::map<std::string, double>;  // by property
// Checks those properties of a result with figures that have a bound.
[[nodiscard]] std::vector<RateCheck> check_bounds(const MeasureResult& result,
                                                  const RateBounds& max_rate);
// Measures the properties that have a bound, exactly or by sampling until it is decided.
[[nodiscard]] std::vector<RateCheck> check_rates(const Runner& runner, const RateBounds& max_rate,
                                                 MeasureOptions options);

}  // namespace lockkeeper
