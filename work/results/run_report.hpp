// SPDX-License-Identifier: Apache-2.0

// The tree of results: what a command came to, file by file, whatever the verb. Plain values; each
// format is a Writer that walks it (writer.hpp). The trace of a finding has been re-verified by
// replaying it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/answer_counts.hpp"
#include "model/text_place.hpp"
#include "scenarios/recorded_trace.hpp"
#include "scenarios/registry/find_boundary.hpp"
#include "scheduler/graph/drawn_graph.hpp"
#include "scheduler/runs/fuzz.hpp"
#include "scheduler/runs/trace.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/details.hpp"

namespace lockkeeper {

// The same property broken in a smaller scenario.
struct SmallerFinding {
    std::string scope;  // see scope_text; and the operations of all scripts
    std::uint64_t steps = 0;
    std::string trace_file;  // empty: none was written
    std::string replay_command;
};

// A run that begins as a violating one, and keeps the property.
struct NearestPass {
    Schedule schedule;
    Trace trace;
    std::size_t differs_at = 0;  // the first step, from 0, that is not the same
    bool ends = true;            // false: it goes on for ever, and is shown for a while
    std::string replay_command;
};

// A line of the code that is tested, which a step stands in.
struct SourceLine {
    std::string file;  // empty: nobody knows it
    std::uint32_t line = 0;
};

// A schedule that breaks a property, or (property null) one in which the two sides of a comparison
// differ or after which nobody can go on.
struct Finding {
    const Property* property = nullptr;
    std::string difference;    // of a comparison, in words
    bool is_violation = true;  // false: a run that does not break the property
    Schedule schedule;
    Trace trace;
    bool is_cut = false;                // a limit of time or memory ended the shrinking
    std::string cause;                  // explore --keep-going: see FoundViolation
    bool causes_cut = false;            // the same
    std::size_t cycle_start = kNoStep;  // livelock: from this step on, for ever
    std::string found_by;               // fuzz: the strategy, or "corpus"
    std::string trace_file;             // empty: none was written
    std::string replay_command;
    std::string command;                    // of outside code: what ran
    std::vector<std::string> outside;       // the same: see outside_words
    std::string kind;                       // of threads, where no property has a name: "data race"
    std::vector<SourceLine> sources;        // of threads: by step of the trace
    std::optional<SmallerFinding> smaller;  // fuzz
    std::optional<NearestPass> nearest;     // where a report shows it, and there is one
};

// Counts the steps of the schedule, and those of a look at the end, which no schedule has.
[[nodiscard]] std::size_t step_count(const Finding& finding);

// The result of a search for the boundary of a parameter. `value` passes; its neighbour, if within
// the range, is violated. The numbers of the report are those of the exploration of `value`, its
// findings those of the neighbour.
struct FoundBoundary {
    std::string parameter;
    bool smallest = true;
    std::int32_t value = 0;
    std::optional<std::int32_t> violated;                  // the neighbour
    std::vector<std::pair<std::int32_t, Verdict>> probes;  // see told_verdict
    std::vector<RefusedValues> refused;                    // those that were tried
};

// Operations of scripts that were left out, all for the same reason.
struct PassedOver {
    std::uint64_t operations = 0;
    std::string why;  // "nothing was acquired"
};

// The place where a code host shows the results of a file.
struct FilePlace {
    std::string path;  // see repository_path
    TextPlace at = {};
    std::string root = {};  // where `path` begins; see repository_root
};

// The result of one file. Every format can be written from these members; `details` has those of
// only one kind of answer.
struct RunReport : Conclusion {
    VerdictWords words;   // of the verdict
    std::string command;  // "explore"
    std::string file;
    FilePlace place;    // of the scenario in the file; of a refused file, of what is wrong with it
    std::string about;  // the scenario's own words
    std::string system;
    std::string variant;
    std::string strategy;     // "breadth-first", "portfolio", "replay", "order"
    std::string scope;        // see scope_text
    std::string short_scope;  // see short_scope_text
    std::uint64_t seed = 0;
    std::vector<const Property*> checked;
    std::string reductions;  // of an exploration, see reduction_plan; empty: none is made

    bool complete = false;
    std::optional<ExploreResult> explored;
    std::optional<DrawnGraph> graph;  // of what was explored, where a format draws it
    std::optional<FoundBoundary> boundary;
    std::optional<FuzzResult> fuzzed;
    std::optional<Trace> replayed;  // one run: replay, order
    std::vector<Finding> findings;
    std::optional<AnswerCounts> answers;  // of outside programs
    std::vector<PassedOver> passed_over;  // of outside programs
    std::vector<const Property*> goals_reached;
    std::vector<const Property*> goals_missed;
    std::vector<std::string> files_written;
    std::string repeat_command;  // for all of it; each finding has its own
    double seconds = 0;

    // Verb `run`: the scenario's expectation is met, or the first difference, or it is not decided.
    std::optional<Verdict> met;
    std::vector<RateCheck> rates;  // the bounds of its `max_rate`

    Details details;
};

// With `run` the exit code of `met`, unless somebody interrupted.
[[nodiscard]] int exit_code_of(const RunReport& report);
// A limit, or Ctrl-C, came before the answer.
[[nodiscard]] bool is_undecided(const RunReport& report);

// The step (from 1) of the trace that breaks the property first; 0 where none does.
[[nodiscard]] std::uint64_t violating_step(const Trace& trace, const Property* property);

// How a file came out, as all formats say it.
enum class FileOutcome : std::uint8_t {
    kPassed,     // exit code 0; with `run`: the expectation is met
    kFailed,     // there is an answer, and it is another one
    kUndecided,  // a limit, or Ctrl-C, came first
    kNotRun,     // the file was refused, or the harness is wrong
};
[[nodiscard]] FileOutcome outcome_of(const RunReport& report);

// Every file is counted once.
struct OutcomeCounts {
    std::size_t passed = 0;
    std::size_t failed = 0;
    std::size_t undecided = 0;
    std::size_t not_run = 0;
};
[[nodiscard]] OutcomeCounts count_outcomes(const std::vector<RunReport>& reports);

// The verdict of all files. `run` judges expectations: a violation that is expected is a pass.
[[nodiscard]] Verdict overall_verdict(const std::vector<RunReport>& reports, int exit_code);

// The kind of result that each file has.
enum class ResultsKind : std::uint8_t {
    kRuns,
    kTests,  // whether it meets its expectation
    kMeasurements,
    kHistories,
    kServerComparisons,
    kReferenceComparisons,
    kSweeps,
};

// The result of a whole command.
struct Results {
    Results(ResultsKind what = ResultsKind::kRuns) : kind(what) {}  // NOLINT: a kind is enough

    ResultsKind kind;
    std::string command;                // "explore"
    std::optional<std::uint64_t> seed;  // of the command line
    // For comparisons: "postgresql" and the server's name for itself (empty: there was none), or
    // the reference "canal/faithful".
    std::string beside;
    std::string beside_version;
    std::string beside_kind;      // "server", "node"
    std::size_t files_count = 0;  // to be run
    std::size_t cases_count = 0;  // of all those files
    std::vector<RunReport> files;
    int exit_code = kExitPassed;
    std::vector<std::string> files_written;  // beside those of each file
};
// The worst of all; to have compared nothing with a server is no agreement.
[[nodiscard]] int exit_code_of(const Results& results);
[[nodiscard]] bool has_compared(const Results& results);

}  // namespace lockkeeper
