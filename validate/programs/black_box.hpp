// SPDX-License-Identifier: Apache-2.0

// Programs at the black-box level: operations that overlap as a seeded schedule says, SIGKILL and
// restart at moments that it chooses, and the recorded history judged by a sequential model.
// Used by app/.
//
// The seed decides which calls begin before which answers, and when the program is killed. It does
// not decide what the program does meanwhile, or how long: a violation may need several tries to
// come again. The history is the evidence. Times in the history are nanoseconds of CLOCK_MONOTONIC;
// a script's sleep is in milliseconds. A caller whose call ended without an answer is dead; a new
// process continues its script.
//
// A run judges: the history by the model, unless grants say "until" and nobody has chosen a model;
// the callers' beliefs by "until"; every return by its own "until"; the order of tokens, if nobody
// has chosen a model; at the end, whether a fresh caller gets what is free. Callers with a process
// each can crash one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "scheduler/runs/fuzz.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/programs/black_box_result.hpp"
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
    double recovery_seconds = 10;  // within which a fresh caller has to get what is free
    ModelChoice model;
    // False: the scenario's model, which is not used where grants say "until".
    bool model_is_chosen = true;
    CheckLimits check;
    // Asked before each schedule. True: memory has come to its limit.
    std::function<bool()> is_full = {};
    std::function<void(const FuzzProgress&)> progress;
};

// P4 (double-release) is not: only a lock that answers at once could be asked for one place more
// than is free.
[[nodiscard]] bool is_judged_in_records(const Property& property);

// Runs schedules up to the first violation or misbehaviour. Throws what the file system throws if
// it cannot make a directory for the program's data.
[[nodiscard]] BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                                           const BlackBoxOptions& options);

}  // namespace lockkeeper
