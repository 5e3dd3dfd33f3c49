// SPDX-License-Identifier: Apache-2.0

// How often: the one question of this folder, and the shape of its answers. exact.hpp answers from
// the whole graph, sampled.hpp from many runs; the verb `measure`, the gate of `run` and the sweeps
// ask either of them by the same options.
//
// A run begins in the initial state and ends where nothing but faults can happen, or, in systems
// whose callers go on for ever, never. Every quantity says its unit and how sure it is.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/law.hpp"
#include "model/property.hpp"
#include "model/schedule.hpp"
#include "scheduler/ranks/helpers.hpp"

namespace lockkeeper {

// The exact method judges at most so many at once; callers refuse more.
inline constexpr std::size_t kExactPropertiesMax = 32;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class MeasureMethod : std::uint8_t {
    kAuto,  // exact where the graph fits the limits, else sampled; both where both are cheap
    kExact,
    kSampled,
    kSplitting,  // sampled, for events too rare to be met by chance
};
// In this order.
inline constexpr const char* kMeasureMethods[] = {"auto", "exact", "sampled", "splitting"};
[[nodiscard]] constexpr const char* name_of(MeasureMethod method) {
    return kMeasureMethods[static_cast<std::size_t>(method)];
}

struct MeasureOptions {
    Law law;
    std::vector<const Property*> check;
    MeasureMethod method = MeasureMethod::kAuto;
    bool bounds = false;  // also the extremes over all schedulers
    // exact
    double precision = 1e-9;  // relative error of every solution
    bool symmetry = true;
    std::uint64_t states_max = 20'000'000;
    std::uint64_t bytes_max = 8ULL << 30U;
    std::uint64_t process_bytes_max = UINT64_MAX;  // resident
    // sampled
    std::uint64_t seed = 1;
    unsigned jobs = 1;                   // of each rank; never changes a figure
    Helpers helpers;                     // other ranks; never change a figure
    double confidence = 0.99;            // of every interval
    bool ages = false;                   // also who is served, by how long each waits
    double relative_width = 0;           // stop when each interval is as narrow; 0: do not
    std::optional<double> below;         // stop when it is decided whether a rate is below this
    std::uint64_t runs_max = 1'000'000;  // also with the two above
    std::uint64_t steps_max = 100'000;   // of one run; a run that is cut is counted as such
    double seconds_max = 1e18;
    std::function<void(std::uint64_t done, double seconds)> progress;
};

// A figure. Exact: low and high are the bounds of the numerical error. Sampled: of the interval at
// the confidence asked for. Neither NaN; infinity where the mean does not exist.
struct Figure {
    double value = 0;
    double low = 0;
    double high = 0;
};

// Over all schedulers that respect the law's chances (docs/findings/rates.md says which choices are
// the scheduler's), with a schedule that an extreme scheduler may bring about, if there is one.
struct ExtremeRates {
    double least = 0;
    double most = 0;
    std::optional<Schedule> schedule_least;
    std::optional<Schedule> schedule_most;
};

struct PropertyRates {
    const Property* property = nullptr;
    Figure per_run;                  // probability that a run violates it at least once
    Figure count_per_run;            // expected number of violating steps (states at rest)
    Figure per_acquire;              // count_per_run by the expected number of acquires granted
    std::optional<Figure> to_first;  // kRates: mean seconds until the first, infinite if not sure
    std::optional<Figure> fraction_of_time;   // kRates, for ever: long-run share of violating time
    std::optional<Figure> violating_seconds;  // kRates: expected violating time of a run
    // Overlaps (P17, P18) in systems with virtual time: how much of it passes in a run while there
    // is one, and how much where there is one at all, in the scenario's units.
    std::optional<Figure> overlap_lasts;
    std::optional<Figure> overlap_lasts_if_any;
    std::optional<ExtremeRates> extremes;
    std::uint64_t hits = 0;  // sampled: runs that violated it
};

// Shares of contended grants: where several callers ask for one key (measure/sampled_run.hpp).
struct ServedShares {
    Figure contended_per_run;  // grants
    Figure to_longest;
    Figure to_newest;
    Figure by_equal_chances;  // what either would be
};

struct MeasureResult {
    MeasureMethod method = MeasureMethod::kExact;  // not kAuto
    Law law;
    bool complete = false;  // exact: the whole graph; sampled: the target was met
    std::string limit;      // what ended it otherwise
    std::vector<PropertyRates> properties;
    Figure acquires_per_run;  // granted
    // Expected units leaked at the end of a run (P2's measure); says nothing unless every run ends.
    Figure capacity_lost;
    std::optional<Figure> seconds_to_seizure;  // kRates: mean time until no capacity is left
    std::optional<Figure> seconds_per_run;     // kRates
    std::optional<ServedShares> served;        // where `ages` asked for it
    // exact
    std::uint64_t states = 0;
    std::uint64_t transitions = 0;
    // sampled
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    std::uint64_t cut_runs = 0;
    double confidence = 0;
    std::optional<bool> is_below;  // the sequential test's answer
    double seconds = 0;

    [[nodiscard]] bool every_run_ends() const {
        return std::isfinite(acquires_per_run.value) && cut_runs == 0;
    }
};

// Whether its intervals are of chance.
[[nodiscard]] inline bool is_sampled(const MeasureResult& result) {
    return result.method != MeasureMethod::kExact;
}
// Whether anything is known but how far it came.
[[nodiscard]] inline bool has_figures(const MeasureResult& result) {
    return is_sampled(result) || result.complete;
}

}  // namespace lockkeeper
