// SPDX-License-Identifier: Apache-2.0

// The candidate that `validate --against` drives: a model of the registry, or a program that speaks
// docs/reference/protocol.md. Against (against.hpp) chooses the steps; a candidate takes them and
// tells which calls were made and what they answered.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/erased_system.hpp"
#include "model/virtual_time.hpp"
#include "scheduler/runner.hpp"
#include "validate/outside/actions.hpp"
#include "validate/programs/program.hpp"

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

// The run so far: which call of whom is open.
class RunRecorder {
  public:
    void step(Action action) {
        run_.actions.push_back(action);
        resizes_ = static_cast<std::uint8_t>(resizes_ + (action.kind == ActionKind::kResize));
    }
    void time_is(std::int32_t instant) { run_.instants.push_back(instant); }
    void called(std::uint8_t caller, Verb verb, std::uint8_t key);
    void returned(std::uint8_t caller, const Answer& answer, bool unnamed = false);
    void died(std::uint8_t caller, bool exits);
    [[nodiscard]] ObservedRun& run() { return run_; }

  private:
    std::array<std::optional<std::size_t>, kCallersMax> open_{};
    ObservedRun run_;
    std::uint8_t resizes_ = 0;
};

class Candidate {
  public:
    Candidate() = default;
    Candidate(const Candidate&) = delete;
    Candidate& operator=(const Candidate&) = delete;
    virtual ~Candidate() = default;

    virtual void begin() = 0;
    // The possible choices: steps of callers and of the background, time, crashes, resizes, and
    // other faults, as far as the scenario allows them.
    [[nodiscard]] virtual std::vector<Action> choices() = 0;
    virtual void take(Action action) = 0;
    [[nodiscard]] virtual ObservedRun finish() = 0;
};

[[nodiscard]] std::unique_ptr<Candidate> model_candidate(ErasedSystem system, bool with_counts);

struct ProgramRuns {
    bool with_counts = false;
    // Time is part of a run: it goes on as often as `ticks_max`, also while somebody can step, and
    // sleeps and signals are calls. Without: only where nobody can do anything else.
    bool with_time = false;
    std::int64_t ticks_max = 0;
};
// Throws Misbehaved where the program cannot be used, and Stopped when it is told to stop; other
// misbehaviour is a run that ends so. `program` must outlive the candidate.
[[nodiscard]] std::unique_ptr<Candidate> program_candidate(Program& program,
                                                           const WorldConfig& world,
                                                           ProgramRuns runs);

}  // namespace lockkeeper::against
