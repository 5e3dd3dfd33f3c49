// SPDX-License-Identifier: Apache-2.0

// The operations of a run that explains logs (validate/logs/retell.hpp), with a whole number of
// time units for each: what a scenario's scripts are written from (incident_scenario.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "validate/logs/explain.hpp"

namespace lockkeeper {

// One call of a caller, as the lock carried it out.
struct IncidentOperation {
    std::uint32_t caller = 0;            // of the logs' problem
    LockCode code = LockCode::kAcquire;  // acquire, release, renew; kWrite: an effect
    bool is_refused = false;
    bool has_answer = true;                  // false: no line says what it came to
    bool is_outside = false;                 // an effect of a caller that does not hold
    std::optional<logs::Place> line;         // that shows it best; nothing: no line does
    std::int64_t earliest = logs::kLongAgo;  // nanoseconds
    std::int64_t latest = logs::kNever;
};

// In the order of the run.
[[nodiscard]] std::vector<IncidentOperation> operations_of(const logs::Problem& problem,
                                                           const logs::Retold& run);

// Reads the lines alone, where no run explains them: each call with its answer, and effects, by the
// time at which they began; `earliest` of its call, `latest` of its answer.
[[nodiscard]] std::vector<IncidentOperation> operations_of_lines(const logs::Problem& problem);

// The part around the first effect of a caller that does not hold: from the grant that it had
// relied on, with the callers that hold or act until then. All, where there is none.
[[nodiscard]] std::vector<IncidentOperation> around_first_outside(
    const std::vector<IncidentOperation>& operations);

// Without callers that are only refused, which change nothing.
[[nodiscard]] std::vector<IncidentOperation> without_bystanders(
    const std::vector<IncidentOperation>& operations);

struct IncidentTimes {
    std::int64_t unit = 1;         // nanoseconds
    std::int64_t origin = 0;       // of unit 0, nanoseconds
    std::vector<std::int32_t> at;  // units, by operation; never falls
};

// Whole units of `unit` at which each operation can have been carried out, to within a unit, so
// that the order is kept and a lease of `ttl` nanoseconds runs where the run needs it, and has run
// out where it needs that. Nothing: there are none, or a lease is no whole number of units or fewer
// than ten, or the run or a lease is longer than `units_max`.
[[nodiscard]] std::optional<IncidentTimes> times_in(
    std::int64_t unit, const std::vector<IncidentOperation>& operations, std::int64_t ttl,
    std::int32_t units_max);

// The first unit that does: milliseconds, then coarser ones, then finer ones.
[[nodiscard]] std::optional<IncidentTimes> incident_times(
    const std::vector<IncidentOperation>& operations, std::int64_t ttl, std::int32_t units_max);

}  // namespace lockkeeper
