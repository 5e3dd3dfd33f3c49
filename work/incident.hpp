// SPDX-License-Identifier: Apache-2.0

// The run that explains an incident's logs (`lockkeeper explain`): its operations with times, its
// scenario of a lock's own steps, its report. Used by explain_job.cpp, which asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "scenarios/registry/registry.hpp"
#include "scheduler/base/output_file.hpp"
#include "validate/logs/command.hpp"
#include "validate/outside/stop_rule.hpp"
#include "work/results/run_report.hpp"
#include "work/wanted_run.hpp"

namespace lockkeeper {

// One call of a caller, as the lock carried it out: scripts of scenarios are written from these.
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

// The run as a scenario: scripts that sleep until the times of the run and make its calls.
struct IncidentScenario {
    nlohmann::ordered_json document;      // a scenario without method and expectation
    std::vector<WantedOperation> wanted;  // in the order of the run
    std::vector<std::size_t> shown;       // of each of these, its number in `operations`
    std::vector<IncidentOperation> operations;
    IncidentTimes times;
    bool has_times = false;    // scripts sleep; false: only the order of the run is kept
    bool is_part = false;      // of a longer run, around the first effect without the lock
    std::size_t left_out = 0;  // operations that the lock has no call for
};

// The lock whose steps a run of this model is written with, unless somebody names another.
[[nodiscard]] std::string system_for(const ModelChoice& model, const logs::LockAnswer& answer);

// Takes the run that explains the lines; where there is none, the lines themselves. BadInput: the
// run has no such scenario.
[[nodiscard]] IncidentScenario incident_scenario(const RegisteredSystem& system,
                                                 const ModelChoice& model,
                                                 const logs::LockAnswer& answer);

// Other uses of the run: `--save` writes it as a scenario, which `lockkeeper run` replays;
// `--variant` asks another lock whether the same can happen there.
struct IncidentProgram {
    std::string command;
    Moment stop_at = Moment::max();  // of the logs of all locks and their searches
    std::uint64_t bytes_max = UINT64_MAX;
};
struct IncidentAsked {
    std::string system;                      // "canal/faithful"; empty: by the model
    std::optional<IncidentProgram> program;  // the lock itself, in its place
    OutputClaim* save = nullptr;             // null: the run is not written
    std::optional<std::string> variant;      // "repaired", "lease_db/repaired"
    std::function<bool()> stop;              // null: nobody interrupts
};

// The text for people; empty: nothing was asked. UsageError for a system or variant that there is
// not; BadInput where the run is none of the system's; OutputError where the file cannot be
// written.
[[nodiscard]] std::string ask_incident(const Registry& registry, const IncidentAsked& asked,
                                       const logs::ToldAnswer& told);

// How a scenario file that --save has written begins, and one that may be replaced.
inline constexpr const char* kIncidentMark = "{\n    \"version\": 1,\n    \"about\": \"Incident: ";

// The run as all reports draw it: a lane for each caller and one for the lock, a step for each line
// and for what no line shows, a bar while a caller holds. `lock`: as `--format json` prints it
// (explain.schema.json), which is all that is drawn. `model`: as it was asked for.
[[nodiscard]] RunReport incident_report(const nlohmann::ordered_json& lock,
                                        const std::string& model, double seconds);

}  // namespace lockkeeper
