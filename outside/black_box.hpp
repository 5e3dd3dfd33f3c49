// Programs at the black-box level: operations that overlap as a seeded schedule says, SIGKILL and
// restart at moments that it chooses, and the recorded history judged by a sequential model.
// Used by app/.
//
// The seed decides which calls are begun before which answers, and when the program is killed; what
// the program does meanwhile, and how long it takes, is its own affair: a violation may need
// several tries to come again. The history is the evidence. Times in the history are nanoseconds of
// CLOCK_MONOTONIC; a script's sleep is in milliseconds. A caller whose call ended without an answer
// is dead; a new process goes on with its script.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "histories/check_history.hpp"
#include "outside/program.hpp"
#include "outside/stepped_run.hpp"
#include "scheduler/runner.hpp"

namespace lockkeeper {

struct BlackBoxOptions {
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 20;
    std::uint64_t operations_max = 1'000;  // of one schedule
    double seconds_max = 1e18;
    ModelChoice model;
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
    HistoryVerdict verdict = HistoryVerdict::kPassed;  // violated before inconclusive
    std::string limit;
    std::uint64_t schedules = 0;
    std::uint64_t operations = 0;
    std::uint64_t crashes = 0;
    std::uint64_t granted = 0;  // acquires, of all runs
    std::uint64_t refused_acquires = 0;
    std::uint64_t cut_runs = 0;  // ended by operations_max
    double seconds = 0;
};

// Up to the first history that is violated, or the first misbehaviour. Throws what the file system
// throws where no directory for the program's data can be made.
[[nodiscard]] BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                                           const BlackBoxOptions& options);

}  // namespace lockkeeper
