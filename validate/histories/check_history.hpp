// SPDX-License-Identifier: Apache-2.0

// Is a recorded history one that a correct lock could have produced? Linearizability against a
// sequential model (Wing and Gong's search, Lowe's memoisation, keys one by one), and the ladder of
// weaker contracts. Called by `lockkeeper validate` and by whoever recorded a history.
//
// Operations that ended with `info`, or not at all, stay open for ever: they may have happened at
// any time after their invocation, or never. `fail` means that it did not happen.
// The answer is passed, violated or inconclusive: a limit never gives a pass.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/verdict.hpp"
#include "validate/histories/model_choice.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct CheckLimits {
    double seconds_max = 60;  // all keys and the ladder together; met within a second
    std::uint64_t bytes_max = std::uint64_t{1} << 30U;
    // Asked about a thousand times a second; true ends the check as inconclusive, "interrupted".
    std::function<bool()> stop;
    bool ladder = true;
};

// How far the history of one key can be explained, where that key is violated or undecided.
struct Explanation {
    std::string key;
    Verdict verdict;
    // Positions in RecordedHistory::records.
    std::vector<std::size_t> order;  // invocations of the longest prefix, as they can be placed
    std::size_t explained = 0;       // the records before this one are explained
    std::optional<std::size_t> invocation;  // of the operation that cannot be placed
    std::optional<std::size_t> completion;
    std::string reason;   // of the model: "held by process 2"
    std::string holders;  // who holds at that moment: "process 2 (line 5)"; "nobody"
};

// A contract of the ladder; the tightest comes first.
struct Rung {
    std::string name;                     // "too-many"; all are in ladder.hpp
    std::string contract;                 // "at most 1 too many"
    std::optional<Verdict> verdict = {};  // nothing: the contract does not apply
    std::string detail = {};
    std::optional<std::int64_t> excess = {};    // k
    std::optional<std::int64_t> duration = {};  // t, in ticks of the history's times
    std::int64_t ticks = 1;                     // in the unit of reports

    [[nodiscard]] bool is_satisfied() const { return verdict && is<Passed>(*verdict); }
};

struct HistoryCheck {
    Verdict verdict = Inconclusive{};
    std::string limit;  // of some key that is not decided: which one ended it first
    std::size_t keys = 0;
    std::size_t keys_passed = 0;
    std::size_t keys_violated = 0;
    std::size_t operations = 0;        // that were judged
    std::size_t operations_open = 0;   // of them, without a known end
    std::size_t effects = 0;           // writes that were taken
    std::size_t effects_unjudged = 0;  // of them, those of which the model asks nothing
    std::uint64_t states = 0;          // that the search looked at
    // Violated keys first, at most kExplanationsMax.
    std::vector<Explanation> explanations;
    std::vector<Rung> ladder;
    std::optional<std::size_t> tightest;  // of the ladder: the first that is satisfied
    double seconds = 0;
};

inline constexpr std::size_t kExplanationsMax = 10;

// HistoryError: the history says what the model does not know, or contradicts itself.
[[nodiscard]] std::variant<HistoryCheck, HistoryError> check_history(
    const RecordedHistory& history, const ModelChoice& model, const CheckLimits& limits = {});

}  // namespace lockkeeper
