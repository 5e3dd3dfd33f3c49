// Trace files: one failing (or interesting) run that a person can read, edit and replay, with the
// scenario it belongs to inside. Published schema: reports/schema/trace.schema.json. A directory
// of them is the corpus that `fuzz` tries first.
//
// The steps' `action` is what is replayed. `text` and `result`, where they stand, are compared with
// what happens; `state` and `causes` are for the reader. `schedule`, where it stands, must have as
// many actions as there are steps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/session.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/output_file.hpp"

namespace lockkeeper {

inline constexpr int kTraceVersion = 1;

struct RecordedTrace {
    Scenario scenario;
    std::string property;  // empty: none is recorded
    Schedule schedule;
    std::vector<std::string> labels;  // see ReplayOptions
    std::size_t cycle_start = kNoStep;
};

// A scenario or a trace, whichever the file is: a trace has `"kind": "trace"`, or is called
// *.trace.json. Untrusted input, as with parse_scenario.
[[nodiscard]] std::variant<Scenario, RecordedTrace, InputError> load_replayable(
    const std::string& file);
[[nodiscard]] std::variant<Scenario, RecordedTrace, InputError> parse_replayable(
    const std::string& text, const std::string& file);

// What decides how the actions of a schedule play out, and nothing else; as text.
[[nodiscard]] std::string identity_of(Scenario scenario);
// The text of a trace file.
[[nodiscard]] std::string trace_document(const Scenario& scenario, const Finding& finding);
// "leak-3f2a9c01" ("no-leak-..." of a run without one): property and hash of scenario and actions.
// The same failure has the same name, whatever seed or strategy found it.
[[nodiscard]] std::string signature_of(const Scenario& scenario, const Finding& finding);
// Writes DIRECTORY/<signature>.trace.json; its path. Throws OutputError.
std::string write_trace(const std::string& directory, const Scenario& scenario,
                        const Finding& finding, const OutputRule& rule);

// The schedules of this scenario's traces in the directory, by file name. What cannot be read is
// named on stderr and left out.
[[nodiscard]] std::vector<Schedule> load_corpus(const Session& session,
                                                const std::string& directory,
                                                const Scenario& scenario);

}  // namespace lockkeeper
