// SPDX-License-Identifier: Apache-2.0

// The answer: is there a run of a correct lock that the logs of one lock show? Called for each lock
// by the command (command.hpp), and by tests.
//
//   explained      a run has every line where it stands. With `effects` a caller did what only a
//                  holder may do and did not hold, in every run: that promise is broken.
//   not explained  no run of a correct lock has these lines, even if a line is missing.
//   undecided      a limit ended the search, or the answer hangs on what the logs do not say:
//                  whether a line is missing, how wrong clocks are, operations never logged.
//
// The lines of one source are never doubted against each other: one clock wrote them, in their
// order. Callers of which there is no log can have held the lock, unless the lock's own log or a
// history is there: a refusal that only such a caller explains leaves it undecided.
//
// A line that is missing never makes a pass unasked, and few never make a violation: without
// `lost_max` up to kLostDoubt missing lines (kLostDoubtOfEffects where only an effect is wrong, and
// no line is missing), or clocks that are wrong by up to kClockDoubt, leave it undecided.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "validate/logs/clock_shift.hpp"
#include "validate/logs/retell.hpp"
#include "validate/logs/search.hpp"

namespace lockkeeper::logs {

inline constexpr std::int64_t kClockDoubt = 100'000'000;  // nanoseconds
// Where no line shows when an operation was called: a run that needs answers slower than the first
// is no explanation yet, and one that needs slower ones than the second leaves a refusal undecided.
inline constexpr std::int64_t kPromptAnswer = 10'000'000;
inline constexpr std::int64_t kAnswerDoubt = 1'000'000'000;
inline constexpr std::uint32_t kLostDoubt = 3;
inline constexpr std::uint32_t kLostDoubtOfEffects = 1;
// Where answers stand without the calls that their callers log otherwise, so many more for each.
inline constexpr std::uint32_t kLostPerHole = 4;
inline constexpr std::uint32_t kLostPerUnsaidEnd = 2;  // the call and the line of a release

enum class Answer : std::uint8_t { kExplained, kBroken, kNotExplained, kUndecided };

// Why an answer hangs on what nobody said.
struct Doubts {
    bool by_lost = false;                     // it is explained if lines are missing
    bool by_unseen = false;                   // or if something happened that no line shows
    std::optional<std::int64_t> clock_error;  // or if clocks were wrong by so much
    std::vector<ClockShift> clocks;           // or if one of these alone was; there may be others
    bool by_stranger = false;  // or if a caller of which there is no log held the lock
    // It is explained if operations whose call no line shows took so long.
    std::optional<std::int64_t> slow_answers;
    bool is_empty = false;         // no line says that the lock did anything
    bool by_names = false;         // a caller may have two names, and one of them in the lock's log
    bool by_unknown_lock = false;  // or if lines that do not say their lock are not about this one
    const char* limit = nullptr;   // not all was tried
};

struct LockAnswer {
    std::string key;
    Answer answer = Answer::kUndecided;
    Doubts doubts;
    std::shared_ptr<const Problem> problem;  // the lines as the run has them
    Found found;
    std::optional<Retold> run;      // that explains, or the nearest
    std::optional<Retold> without;  // another run, in which every effect is a holder's
    Cost cost_without;
    std::optional<Retold> with_stranger;  // in which a caller of which there is no log held it
    std::uint32_t holes = 0;              // answers without their calls
    std::uint32_t lost_max = 0;           // so many missing lines were allowed
    std::uint64_t states = 0;             // of all searches
};

struct Question {
    std::optional<std::uint32_t> lost_max;   // lines that may be missing
    std::vector<std::int64_t> clock_errors;  // by source; empty: nobody has said
    bool has_all_callers = false;            // of a history: there are no others
    const SequentialModel* model = nullptr;
    const SearchBudget* budget = nullptr;
    OnProgress on_progress = nullptr;  // see SearchLimits
    // Wrong clocks of many workers have very many runs: after so many states whoever asks has to
    // say how wrong they may be.
    std::uint64_t states_of_doubt = 200'000;
};

[[nodiscard]] LockAnswer explain(const std::vector<Source>& sources, const Question& question);

// The same logs, one lock each. A line without a key is about the only lock; where there are
// several, it is a LogError.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<Source>>> by_lock(const Logs& logs);

}  // namespace lockkeeper::logs
