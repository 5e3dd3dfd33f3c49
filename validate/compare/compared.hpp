// SPDX-License-Identifier: Apache-2.0

// The findings of the runs of a candidate beside its reference (against.hpp has what the
// differences mean). Plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"
#include "scheduler/runs/trace.hpp"

namespace lockkeeper::against {

enum class Difference : std::uint8_t { kNone, kUndecided, kStricter, kLooser, kWrong };

// The answer that a call returned.
struct Answer {
    std::string text;  // "acquired, count 2", "full", "released", "died", an error's name
    bool granted = false;
    bool refused = false;
    bool failed = false;  // with an error
    bool lost = false;    // and its caller was told that it holds no longer
};

// A call of the candidate's run. Steps count from 1.
struct ObservedCall : Answer {
    std::uint8_t caller = 0;
    Verb verb = Verb::kAcquire;
    std::uint8_t key = 0;
    std::size_t called = 0;
    std::optional<std::size_t> returned;
    std::uint8_t resizes = 0;  // that had happened when it began
    bool unnamed = false;      // of a program, whose errors have other names
};

// A caller is killed, or its script ends its process.
struct ObservedDeath {
    std::uint8_t caller = 0;
    std::size_t at = 0;                 // step
    bool exits = false;                 // by its script
    std::optional<std::size_t> inside;  // index of the call that it was in
};

// How much a fresh client gets at the end, compared with what nobody holds.
enum class LeftAtEnd : std::uint8_t { kAsMuch, kLess, kMore };

struct ObservedRun {
    std::vector<Action> actions;
    std::vector<ObservedCall> calls;
    std::vector<ObservedDeath> deaths;
    bool cut = false;    // steps_max came first
    bool stuck = false;  // nothing is possible, somebody has not finished
    bool at_rest = false;
    std::vector<std::uint32_t> units_least;  // by key, when at rest: units in use
    std::vector<std::uint32_t> units_most;
    std::vector<std::uint32_t> grants;   // by key, when at rest: as the servers' records say
    std::vector<std::int32_t> instants;  // where each time action went
    // For a program.
    LeftAtEnd left = LeftAtEnd::kAsMuch;
    std::string misbehaves;  // as what the reference does instead
    bool hung = false;       // so: no further run is waited for
    std::vector<TraceStep> steps;
};

[[nodiscard]] std::string_view name_of(Difference difference);

struct Explanation {
    Difference difference = Difference::kNone;
    std::optional<std::size_t> call;  // index in ObservedRun::calls
    std::string expected;             // what the reference answers there
    std::size_t explained = 0;        // calls before it
};

struct Compared {
    Verdict verdict;
    std::uint64_t seed = 0;
    std::uint64_t schedules = 0;
    std::array<std::uint64_t, 5> counts{};  // by Difference
    std::uint64_t cut = 0;
    std::uint64_t first_at = 0;  // schedule of the worst difference, from 1
    std::optional<ObservedRun> shown;
    Explanation explanation;

    [[nodiscard]] Difference worst() const;
};

}  // namespace lockkeeper::against
