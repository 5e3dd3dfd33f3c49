// SPDX-License-Identifier: Apache-2.0

// A trace file as a value: one run that a person can read, edit and replay, with the scenario that
// it belongs to. Published schema: reports/schema/trace.schema.json; reports/trace_file.hpp writes
// it.
//
// Replay repeats the steps' `action`. It compares `text` and `result`, where they stand, with what
// happens; `state` and `causes` are for the reader. `schedule`, where it stands, must have as many
// actions as there are steps.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

inline constexpr int kTraceVersion = 1;
// Marks a run that is no cycle.
inline constexpr std::size_t kNoStep = static_cast<std::size_t>(-1);

struct RecordedTrace {
    Scenario scenario;
    std::string property;  // empty: none is recorded
    Schedule schedule;
    std::vector<std::string> labels;  // see ReplayOptions
    std::size_t cycle_start = kNoStep;
    // Only for a lock that is no model: see outside_words.
    std::vector<std::string> outside;
};

// A scenario or a trace, whichever the file is: a trace has `"kind": "trace"`, or is called
// *.trace.json. Untrusted input, as with parse_scenario.
[[nodiscard]] std::variant<Scenario, RecordedTrace, InputError> load_replayable(
    const std::string& file);
[[nodiscard]] std::variant<Scenario, RecordedTrace, InputError> parse_replayable(
    const std::string& text, const std::string& file);

}  // namespace lockkeeper
