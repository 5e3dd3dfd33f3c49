// SPDX-License-Identifier: Apache-2.0

// Programs at the black-box level: operations that overlap as a seeded schedule says, SIGKILL and
// restart at moments that it chooses, and the recorded history judged by a sequential model.
// Used by app/.
//
// The seed decides which calls are begun before which answers, and when the program is killed; what
// the program does meanwhile, and how long it takes, is its own affair: a violation may need
// several tries to come again. The history is the evidence. Times in the history are nanoseconds of
// CLOCK_MONOTONIC; a script's sleep is in milliseconds. A caller whose call ended without an answer
// is dead; a new process goes on with its script.
//
// Judged are: the history by the model, but where grants say "until" and nobody has chosen a model;
// what the callers believed by "until"; every return by its own "until"; the order of tokens, where
// nobody has chosen a model; at the end of a run, whether a fresh caller gets what is free. Callers
// with a process each can crash one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "scheduler/runner.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/programs/black_box_finding.hpp"
#include "validate/programs/program.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

inline constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
// Program and recorder read one clock, the program in whole milliseconds.
inline constexpr std::int64_t kUntilError = 2 * kNanosecondsPerMillisecond;

struct BlackBoxOptions {
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 20;
    std::uint64_t operations_max = 1'000;  // of one schedule
    double seconds_max = 1e18;
    bool process_per_caller = false;
    double recovery_seconds = 10;  // so long what is free may take to be there for a fresh caller
    ModelChoice model;
    // False: of the scenario, and of no use where grants say until when they are good.
    bool model_is_chosen = true;
    CheckLimits check;
    std::function<void(const FuzzProgress&)> progress;
};

struct BlackBoxResult {
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;      // of the misbehaviour
    std::string last_words;  // on stderr, then
    std::string refused;     // not empty: the model cannot judge such histories, and why
    // Of the run that ended it, else of the last one.
    RecordedHistory history;
    std::optional<HistoryCheck> check;
    std::optional<BlackBoxFinding> finding;  // beside what the model says
    bool has_until = false;                  // some grant, of any run
    bool judged_by_tokens = false;           // the same
    bool judged_by_model = false;            // some history
    Verdict verdict;                         // violated before inconclusive
    std::string limit;  // that came before all schedules: "time", "interrupted"
    std::uint64_t schedules = 0;
    std::uint64_t operations = 0;
    std::uint64_t crashes = 0;
    OutsideTally tally;  // of all runs, without the probes' answers; times are milliseconds
    double seconds = 0;
};

// Not P4 (double-release): only a lock that answers at once could be asked for one more than is
// free.
[[nodiscard]] bool is_judged_in_records(const Property& property);

// Up to the first history that is violated, or the first misbehaviour. Throws what the file system
// throws where no directory for the program's data can be made.
[[nodiscard]] BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                                           const BlackBoxOptions& options);

}  // namespace lockkeeper
