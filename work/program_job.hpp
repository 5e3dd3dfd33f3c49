// SPDX-License-Identifier: Apache-2.0

// Reports on a program as on a run: at the stepped level a search or one run, at the black-box
// level recorded runs. Errors: BadInput where the command, or the scenario, is not what was meant,
// which is no verdict on the lock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/measure_plan.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scheduler/base/output_file.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/outside/verdict.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/choose_built_ins.hpp"
#include "validate/programs/program_scenario.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "work/desk.hpp"
#include "work/results/run_report.hpp"
#include "work/results/watcher.hpp"

namespace lockkeeper {

struct ProgramJob : ProgramScenario {
    std::optional<wire::WirePlan> wire;  // unmodified clients, in place of a program
    // Stepped: this one run, by --replay-choices or of a trace file, whose labels are compared.
    std::optional<Schedule> replayed;
    std::vector<std::string> labels;
    // The command that runs one schedule (lk1:...) again.
    std::function<std::string(const std::string& schedule)> replay_command;
    RunReport report;  // begun; run_stepped and run_black_box fill in the rest

    [[nodiscard]] const std::string& command() const {
        return wire ? wire->command : program.command;
    }
};

// Its report has what is known before the first run, except the strategy. `command`: "validate".
[[nodiscard]] ProgramJob make_program_job(ProgramScenario scenario, const std::string& command);
[[nodiscard]] ProgramJob make_wire_job(wire::WireScenario scenario, const std::string& command);

// The run of a trace (null: there is none), or of --replay-choices. BadInput: both, or a recorded
// run.
void take_replayed(ProgramJob& job, const RecordedTrace* trace,
                   const std::optional<std::string>& choices);

// The options that the scenario sets, with those laid over it; all others by default.
[[nodiscard]] OutsideOptions stepped_options_of(const ProgramJob& job);
[[nodiscard]] BlackBoxOptions black_box_options_of(const ProgramJob& job);

// Returns the last words of outside code on stderr.
using LastWords = std::function<std::string()>;
using UseOfSearch = std::function<void(OutsideSearch& search, const LastWords& last_words)>;
// Starts the program, or the server and its clients, for as long as `use` takes. The verdict is an
// error where no server starts; Misbehaved becomes BadInput; Stopped is passed on.
void with_search(ProgramJob& job, const OutsideOptions& options, Watcher& watcher,
                 const UseOfSearch& use);
// The same for unmodified clients.
void run_stepped(ProgramJob& job, OutsideOptions options, Watcher& watcher);
// `model`: what judges the histories, by its name.
void run_recorded(ProgramJob& job, BlackBoxOptions options, const std::string& model,
                  Watcher& watcher);

// One run, and the command that repeats it.
[[nodiscard]] Finding finding_of(const ProgramJob& job, const Property* property,
                                 const Schedule& schedule, Trace trace);
// The finding as a trace file has it: only the steps that can be replayed. A replay adds the look
// at the end by itself.
[[nodiscard]] Finding without_the_look_at_the_end(const Finding& finding);
// "two_callers-7-9c3f01ab.history.jsonl": the scenario and its case, the seed, and a fingerprint.
[[nodiscard]] std::string history_name(const ProgramJob& job, std::uint64_t seed);
// Writes into the directory the history of the run that the report shows, else of the last run.
// Throws OutputError.
void write_history(ProgramJob& job, const std::string& directory, const OutputRule& rule);

// The error that says what the program found wrong with the command or the scenario.
[[nodiscard]] BadInput refused_program(const std::string& command, const Misbehaved& error);

// `model` judged the histories. A result that cannot be a pass is inconclusive, with the reason.
[[nodiscard]] Verdict black_box_verdict(const RunReport& report, const OutsideWorld& world,
                                        const BlackBoxResult& result, const std::string& model);

// The default number of runs; it is low because each run takes real messages.
inline constexpr std::uint64_t kOutsideRuns = 1'000;

// `measure`: how often a run violates what, sampled under a law. The figures are those of
// measure/sampled.hpp. One run that violates something is shrunk and shown, to be replayed by
// `validate`. Begins the report, and returns what is asked. UsageError: of models only.
[[nodiscard]] MeasureOptions begin_measuring(ProgramJob& job, const Asked& asked);
// Fills in the rest. Throws as with_search does.
void measure_program(ProgramJob& job, const MeasureOptions& options, Watcher& watcher);

// Jobs as they are asked for: of a program, or of unmodified clients of a real server.

// A scenario made ready to be put to what is asked for.
[[nodiscard]] ProgramJob program_job(const Desk& desk, Scenario scenario);
[[nodiscard]] ProgramJob wire_job(const Desk& desk, Scenario scenario);
// A program is asked for, or clients at the wire. UsageError: both, or half of it.
[[nodiscard]] bool names_outside_code(const Asked& asked);
// A scenario in a file, or a trace that an earlier run has written and that is repeated, made
// ready.
[[nodiscard]] ProgramJob outside_job(const Desk& desk, const std::string& file,
                                     std::int64_t lease_time = 0);
// The scenarios that are put to a program where nobody names any.
[[nodiscard]] ChosenBuiltIns built_ins_for(const Desk& desk);
// The flags that say how clients are held and what may happen to them, as given_again.
[[nodiscard]] std::string wire_flags_again(const Asked& asked);

}  // namespace lockkeeper
