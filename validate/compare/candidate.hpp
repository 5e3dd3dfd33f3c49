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
#include "validate/compare/compared.hpp"
#include "validate/outside/actions.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper::against {

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
