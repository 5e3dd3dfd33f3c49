// SPDX-License-Identifier: Apache-2.0

// Trace files (scenarios/recorded_trace.hpp): what a finding is written as. A directory of them is
// the corpus that `fuzz` tries first.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/world_config.hpp"
#include "scenarios/scenario.hpp"
#include "scheduler/base/output_file.hpp"
#include "scheduler/runs/trace.hpp"
#include "validate/histories/recorded.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// How every trace file begins, and a file that may be replaced by another.
inline constexpr std::string_view kTraceMark = "{\n    \"$schema\": \"trace.schema.json\",\n";

// The text of those parts of the scenario that decide how the actions of a schedule play out.
[[nodiscard]] std::string identity_of(Scenario scenario);
// The text of a trace file.
[[nodiscard]] std::string trace_document(const Scenario& scenario, const Finding& finding);
// "leak-3f2a9c01" ("no-leak-..." of a run without one): property and hash of scenario and actions.
// The same failure has the same name, whatever seed or strategy found it.
[[nodiscard]] std::string signature_of(const Scenario& scenario, const Finding& finding);
// The schedules of this scenario's traces in the directory (empty: there is none), by file name.
// Leaves out files that cannot be read, and tells `complain` why.
[[nodiscard]] std::vector<Schedule> load_corpus(
    const std::string& directory, const Scenario& scenario,
    const std::function<void(const std::string&)>& complain);
// Writes DIRECTORY/<signature>.trace.json; its path. Throws OutputError.
std::string write_trace(const std::string& directory, const Scenario& scenario,
                        const Finding& finding, const OutputRule& rule);

// How a history begins, and a file that may be replaced by another.
inline constexpr std::string_view kHistoryMark = "{\"recorder\":\"lockkeeper\",";
// The history's text, with the mark in the first record. Readers do not look at the mark.
[[nodiscard]] std::string marked_history(const RecordedHistory& history);
// The same for a run in this world.
[[nodiscard]] std::string marked_history(const WorldConfig& world, const Trace& trace);

}  // namespace lockkeeper
