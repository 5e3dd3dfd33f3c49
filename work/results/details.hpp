// SPDX-License-Identifier: Apache-2.0

// The parts of a report that only one kind of answer has; run_report.hpp has those of every report.
// A format that does not know a kind leaves it out. Plain values.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "measure/chosen_law.hpp"
#include "measure/measured_point.hpp"
#include "measure/sweep_run.hpp"
#include "model/answer_counts.hpp"
#include "scheduler/proofs/proof_picture.hpp"
#include "scheduler/proofs/proof_progress.hpp"
#include "validate/compare/compared.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/outside/result.hpp"
#include "validate/programs/black_box_result.hpp"
#include "validate/servers/comparison.hpp"

namespace lockkeeper {

// Passed: no figure is above its bound.
inline constexpr VerdictWords kMeasureWords{"measured", "exceeded"};
// One run of outside code that violates something, shrunk.
struct BadRun {
    const Property* property = nullptr;
    Schedule schedule;
    std::string replay_command;
};
struct Measurement {
    ChosenLaw law;
    std::vector<LawWarning> warnings;
    double confidence = 0;
    std::vector<MeasuredPoint> points;
    std::optional<BadRun> bad_run = {};
    std::vector<std::string> remarks = {};  // of outside code: what a reader has to know
};

struct SweptTable {
    Sweep sweep;
    std::vector<SweepPoint> points;
    std::vector<SweptPoint> results;  // of each point
    // The choices of the sweep's other points, which were not asked for.
    std::vector<std::vector<std::vector<std::string>>> not_asked;
};

// A program at the stepped level, or unmodified clients at the wire: a search, or (nothing) one
// run.
struct SteppedAnswer {
    std::optional<OutsideResult> searched;
    std::int64_t ticks_max = 0;
    std::int64_t tick_width = 1;
    bool has_ticks = true;      // of unmodified clients: time is no count of ticks
    bool is_cut_short = false;  // the run is not shown to its end
    bool misbehaves = false;
    std::string last_words;         // of the program, on stderr
    JudgedCalls calls;              // of the run that is shown, else of the last one
    std::set<std::string> remarks;  // what a reader has to know
};

struct BlackBoxAnswer {
    BlackBoxResult result;
    std::string model;
};

struct JudgedHistory {
    RecordedHistory history;
    HistoryCheck check;
    std::string model;  // as given
    AnswerCounts answers;
    std::string not_judged;          // why it is no "passed" though no model refuses it
    std::string effects_not_judged;  // "2 effects were not judged (...)"; empty: all were
};

inline constexpr VerdictWords kServerWords{"agrees", "differs"};
struct ServerComparison {
    std::string not_expressible;  // not empty: why there is no comparison
    databases::Comparison comparison;
};

struct ReferenceComparison {
    std::string candidate;  // "canal/faithful", or the program's command
    against::Compared compared;
};

// Whether a proof also holds for twice, three times ... the times of its scenario. Whole units of
// time and thirds of a lease are others then: a lease of 5 can be safe, and one of 10 not.
enum class Multiples : std::uint8_t {
    kNone,      // there are no times
    kNotKnown,  // time passes in the proof
    kAll,       // it does not; a time that means "never" has no multiples
};

// prove: a verdict for every number of callers. Where it is violated, the numbers and findings of
// the report are those of the exploration of `least`.
struct EveryNumber {
    std::vector<std::string> kinds;                 // names, as of callers
    bool any_crashes = false;                       // any number of them, at any time
    std::string as_in_file = {};                    // what is bounded as the scenario says
    std::vector<const Property*> not_covered;       // of what the scenario checks
    std::size_t explored = 0;                       // up to so many callers break nothing
    std::optional<std::vector<std::size_t>> least;  // violated: so many of each kind
    std::string method = {};                        // proved: "weights", "counts"
    proofs::ProofSizes sizes = {};
    proofs::ProofPicture picture = {};
    // Where a scenario with times is proved.
    Multiples multiples = Multiples::kNone;
    std::int32_t time_unit = 1;         // in which the proof counts them
    std::string certificate_file = {};  // empty: none was written
    std::string scenario_file = {};     // of `least`
};

// check-certificate, of a certificate for one scope.
struct CheckedStates {
    std::size_t states = 0;
    std::uint64_t steps = 0;
    // Properties that the scenario asks for and the certificate does not prove.
    std::vector<const Property*> not_covered;
};

// A program with threads, in its own words.
struct ThreadsAnswer {
    std::string printed;
};

// Logs that were explained, in the words of the command.
struct ExplainedAnswer {
    std::string printed;
    std::string document;  // JSON, of one lock: as explain.schema.json
};

using Details = std::variant<std::monostate, EveryNumber, CheckedStates, Measurement, SweptTable,
                             SteppedAnswer, BlackBoxAnswer, JudgedHistory, ServerComparison,
                             ReferenceComparison, ThreadsAnswer, ExplainedAnswer>;

}  // namespace lockkeeper
