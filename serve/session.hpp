// SPDX-License-Identifier: Apache-2.0

// One place in the state space, in the form of reports/web/src/serve_data.ts: the run so far, what
// can happen next, what lies ahead. Each view is one endpoint; each takes the schedule that leads
// to the place, which is all that a request says, and walks there anew. Throws DoesNotFit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/erased_system.hpp"
#include "model/json.hpp"
#include "scheduler/runner.hpp"
#include "serve/opened_files.hpp"

namespace lockkeeper {

using ServeJson = nlohmann::ordered_json;

// Longer runs are for `replay`.
inline constexpr std::size_t kWalkStepsMax = 20'000;

// The schedule is no run of this file: what() says at which step, and what was possible.
class DoesNotFit : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Walked {
    ErasedSystem::State state;
    std::size_t resizes = 0;  // that the run has seen
};
[[nodiscard]] Walked walk(const OpenedFile& file, const std::vector<Action>& actions);
// One step on. `action` must be possible.
[[nodiscard]] Walked after(const OpenedFile& file, const Walked& from, Action action);

// Whatever can happen from there on. The file must outlive it.
[[nodiscard]] std::unique_ptr<Runner> runner_from(const OpenedFile& file, const Walked& from);

[[nodiscard]] std::string id_text(std::uint64_t fingerprint);

// Equal for equal states, in 16 hexadecimal digits; `kind`: equal, too, for states that differ only
// in which of several interchangeable callers is which.
struct StateNames {
    std::string id;
    std::string kind;
};
[[nodiscard]] StateNames names_of(const OpenedFile& file, const ErasedSystem::State& state);

// The run as a page of reports has it, and the names of its states. A schedule that does not fit is
// shown up to the step that does not fit.
[[nodiscard]] ServeJson run_view(const OpenedFile& file, const Schedule& schedule,
                                 std::size_t cycle_start);

// Every action that is possible, with what it would change and violate.
[[nodiscard]] ServeJson choices_view(const OpenedFile& file, const Schedule& schedule);

// Says for every possible action whether a violation can follow. The searches are small: "unknown"
// where `states_max` states do not suffice.
inline constexpr std::uint64_t kAheadStatesMax = 20'000;  // of all choices together
[[nodiscard]] ServeJson ahead_view(const OpenedFile& file, const Schedule& schedule,
                                   std::uint64_t states_max = kAheadStatesMax);

// The states around: breadth first from the end of the schedule.
inline constexpr std::size_t kGraphStatesMax = 2'000;
[[nodiscard]] ServeJson graph_view(const OpenedFile& file, const Schedule& schedule,
                                   std::size_t states_max);

// Continues the schedule at random until something is violated, everybody has ended, or
// `steps_max` steps are taken.
struct RandomWalk {
    std::string strategy = "random";
    std::uint64_t seed = 1;
    std::size_t steps_max = 1'000;
};
[[nodiscard]] const std::vector<std::string_view>& random_strategies();
[[nodiscard]] ServeJson random_view(const OpenedFile& file, const Schedule& schedule,
                                    const RandomWalk& choice);

// The document of a run, as a page of reports has it. `states`: the names of its states; `replay`:
// a command.
struct ShownRunPlace {
    const std::string& file;
    std::string replay;
    Schedule schedule;
    std::size_t cycle_start = kNoStep;
};
[[nodiscard]] ServeJson run_document(const Trace& trace, const ShownRunPlace& place,
                                     ServeJson states);
// Why nothing more happens by itself (null: something does).
[[nodiscard]] ServeJson end_of(const Trace& trace);
// Its last step as a choice that leads to `state`. `run`: run_json of the trace.
[[nodiscard]] ServeJson last_step_json(const ServeJson& run, const Trace& trace, ServeJson state);

}  // namespace lockkeeper
