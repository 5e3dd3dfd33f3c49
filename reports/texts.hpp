// SPDX-License-Identifier: Apache-2.0

// The parts that writers put together: text for people, in plain ASCII, and the JSON documents of
// each kind of answer. Each part is a source of its own, and none throws. Text from files, programs
// and servers is made printable.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/trace.hpp"
#include "work/results/run_report.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {

// About one file, for every kind of answer.

// The lines known before the run. `is_verbose`: with the scenario's own words.
[[nodiscard]] std::string answer_head(const RunReport& report, bool is_verbose);
// The result; for a test one line.
[[nodiscard]] std::string answer_text(const RunReport& report, bool is_verbose);
// Head and result together; for a test with its runs.
[[nodiscard]] std::string whole_text(const RunReport& report);

// One run, in three parts, so that the first line stands on the screen while the search still runs.

// "lockkeeper 1.0.0 (1d41631ad230)  seed 1  strategy breadth-first  scope: 2 callers, ...", and a
// second line with the file, the system and what is checked. Needs only what is known before.
[[nodiscard]] std::string head_text(const RunReport& report);
// Violations with their traces, the numbers, the goals.
[[nodiscard]] std::string body_text(const RunReport& report);
// "P2 leak (critical) in 14 steps, found by pct".
[[nodiscard]] std::string finding_title(const Finding& finding);
// Which goals were reached, and which not; nothing where none were asked for.
[[nodiscard]] std::string goals_text(const RunReport& report);
// "complete: 2 callers, 361 states"
[[nodiscard]] std::string scope_line(const RunReport& report);
// Verdict, scope, seed, files written, the command that repeats it.
[[nodiscard]] std::string foot_text(const RunReport& report);
// `replay` empty: without such a command.
[[nodiscard]] std::string foot_text(const RunReport& report, const std::string& scope,
                                    const std::string& replay);

// The numbers of an exploration or of a fuzzing run.

// "distinct states", "361"
using Fact = std::pair<std::string, std::string>;

[[nodiscard]] std::vector<Fact> facts_of(const ExploreResult& result);
[[nodiscard]] std::vector<Fact> facts_of(const FuzzResult& result);
// One fact a line.
[[nodiscard]] std::string facts_text(const std::vector<Fact>& facts);

// One run as a table: step, what was done by whom, its result, counters and holders after it.
// Groups of steps that are repeated are written once. The violating step is marked '!', steps that
// the violation needs '*'; above the table stands the cause.

// "cause: 2 of 14 decisions: step 3 (A acquire: ...), step 9 (...)", or empty: no cause is marked.
[[nodiscard]] std::string cause_text(const Trace& trace);
// The table, with the cause above and the broken properties' definitions below.
// `property` null: every violated property is marked, else this one only.
[[nodiscard]] std::string trace_text(const Trace& trace, const Property* property = nullptr);

// Suggests what to type next where a search has ended with something left.

// The flag that raises the limit which ended it ("states", "memory", "time"), in words: "a larger
// --max-states". Empty: no flag helps.
[[nodiscard]] std::string flag_beyond(std::string_view limit);
// A line of a report; empty where there is nothing to try.
[[nodiscard]] std::string next_text(const std::vector<std::string>& to_try);

// How files came out, in words that all formats share.

// "passed", "failed", "undecided", "not run"
[[nodiscard]] std::string_view name_of(FileOutcome outcome);
// "2 passed, 1 failed"; undecided and not run where there are any.
[[nodiscard]] std::string counts_text(const OutcomeCounts& counts);
// One line: the difference from what was expected, else the verdict, else why there is none.
[[nodiscard]] std::string outcome_message(const RunReport& report);
// Why the command does not pass, where no file's outcome explains it: an interrupt left files out,
// or a report could not be written. Empty: there is no such reason.
[[nodiscard]] std::string beyond_files(const Results& results);
// For links: report.place, or the file as it was named.
[[nodiscard]] const std::string& path_of(const RunReport& report);

// A program at the stepped level. The first lines are those of every run (head_text).

[[nodiscard]] std::string stepped_text(const RunReport& report, const SteppedAnswer& answer);

// For both levels.
[[nodiscard]] std::string passed_over_text(const RunReport& report);
[[nodiscard]] std::string last_words_text(const std::string& last_words);

// `measure`: figures with unit and interval, how sure they are, and the operator's sentences.

// Version, seed, law, scope; file, system, properties.
[[nodiscard]] std::string measure_head(const RunReport& report, const Measurement& measured);
// The figures of all points.
[[nodiscard]] std::string measure_body(const RunReport& report, const Measurement& measured);
// Verdict, how exact, seed, files written, the command that repeats it.
[[nodiscard]] std::string measure_foot(const RunReport& report, const Measurement& measured);

// `prove` and `check-certificate`.

[[nodiscard]] std::string every_number_text(const RunReport& report, const EveryNumber& numbers);
[[nodiscard]] std::string checked_states_text(const RunReport& report,
                                              const CheckedStates& checked);
[[nodiscard]] nlohmann::ordered_json every_number_json(const EveryNumber& numbers);

// `validate --history` (reports/schema/history.schema.json).

[[nodiscard]] std::string history_head_text(const JudgedHistory& judged);
// `is_whole`: all operations of the longest prefix, not only the last.
[[nodiscard]] std::string history_body_text(const RunReport& report, const JudgedHistory& judged,
                                            bool is_whole);
// "complete: 4 operations, 0 of them open for ever, on 1 key: ..."
[[nodiscard]] std::string history_scope_text(const HistoryCheck& check);
[[nodiscard]] nlohmann::ordered_json history_calls(const RecordedHistory& history);
[[nodiscard]] nlohmann::ordered_json history_document(const RunReport& report,
                                                      const JudgedHistory& judged);

// `validate --server` (reports/schema/validate_server.schema.json).

[[nodiscard]] std::string server_comparison_text(const RunReport& report,
                                                 const ServerComparison& compared);
[[nodiscard]] std::string server_summary_text(const Results& results);
[[nodiscard]] nlohmann::ordered_json server_document(const Results& results);

// `validate --against` (reports/schema/validate_against.schema.json).

[[nodiscard]] std::string against_text(const RunReport& report,
                                       const ReferenceComparison& comparison);
[[nodiscard]] nlohmann::ordered_json against_document(const Results& results);

// `lockkeeper list` (reports/schema/list.schema.json).
struct Listing;

[[nodiscard]] std::string list_text(const Listing& listing);
[[nodiscard]] nlohmann::ordered_json list_document(const Listing& listing);

// `measure` (reports/schema/measure.schema.json). A number that is infinite (the mean does not
// exist, it never happens) is null.
inline constexpr int kMeasureVersion = 1;

// One of its files.
[[nodiscard]] nlohmann::ordered_json measured_file(const RunReport& report);
[[nodiscard]] nlohmann::ordered_json measure_document(const Results& results);

}  // namespace lockkeeper
