// SPDX-License-Identifier: Apache-2.0

// The result of a run, a search, a history, a measurement or a comparison: one closed variant, with
// a place for "do not know". Never a bool, never a word. Its name is made here, its exit code and
// its place in a document in reports/conclusion.hpp, and nowhere else (docs/decisions/0019).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/schedule.hpp"
#include "model/text_place.hpp"

namespace lockkeeper {

// In every kind `detail` is the text that a report prints after the name; it may be empty.

// For the scope that the report names.
struct Passed {
    static constexpr std::string_view kName = "passed";
    std::string detail = {};
};

// A promise is broken. A violation that a search found has a property and a schedule; elsewhere the
// report says what was violated.
struct Violated {
    static constexpr std::string_view kName = "violated";
    std::string detail = {};
    std::string property = {};
    Schedule schedule = {};  // ends with the violating step; for a cycle, see cycle_start
    // Livelock: the schedule from this step on is a cycle that returns to the same state.
    std::size_t cycle_start = static_cast<std::size_t>(-1);
};

// No action is enabled, a caller is unfinished, and no property that judges this was asked for.
struct Stuck {
    static constexpr std::string_view kName = "stuck";
    std::string detail = "nobody can take a step and somebody is unfinished";
    Schedule schedule = {};
};

// Nothing is violated, but a goal that must be reached was not.
struct Unreached {
    static constexpr std::string_view kName = "unreached";
    std::string detail = {};
};

// A limit came before the decision, or what was seen says too little.
struct Inconclusive {
    static constexpr std::string_view kName = "inconclusive";
    std::string limit = {};  // empty: it was none
    std::string detail = limit.empty() ? "" : "ended by limit: " + limit;
};

// The limit where virtual time has come to its end before somebody has finished.
inline constexpr std::string_view kTimeIsOver = "virtual time ends while somebody is unfinished";

// A replay met something else than was recorded, or a schedule that was run twice differed.
struct Diverged {
    static constexpr std::string_view kName = "diverged";
    std::string detail = {};
};

// An outside program answered the same choices in two ways.
struct NotDeterministic {
    static constexpr std::string_view kName = "not deterministic";
    std::string detail = {};
};

// The file was refused: it is malformed, or asks for too much.
struct RefusedFile {
    static constexpr std::string_view kName = "error";
    std::string detail = {};
    TextPlace place = {};  // of what is wrong; where it is not known, the file's beginning
};

// The harness broke: two ways to compute the same figure disagree.
struct Disagreement {
    static constexpr std::string_view kName = "disagreement";
    std::string detail = {};
};

// The harness broke in any other way.
struct Error {
    static constexpr std::string_view kName = "error";
    std::string detail = {};
};

using Verdict = std::variant<Passed, Violated, Stuck, Unreached, Inconclusive, Diverged,
                             NotDeterministic, RefusedFile, Disagreement, Error>;

template <class Kind>
[[nodiscard]] bool is(const Verdict& verdict) {
    return std::holds_alternative<Kind>(verdict);
}

// False: the file was refused, or the harness broke before it knew anything.
[[nodiscard]] inline bool has_answer(const Verdict& verdict) {
    return !is<RefusedFile>(verdict) && !is<Error>(verdict);
}

// Other names of the first two kinds, for commands that do not judge whether a test passes.
struct VerdictWords {
    std::string_view passed = Passed::kName;
    std::string_view violated = Violated::kName;
};

[[nodiscard]] inline std::string_view name_of(const Verdict& verdict,
                                              const VerdictWords& words = {}) {
    return is<Passed>(verdict) ? words.passed
           : is<Violated>(verdict)
               ? words.violated
               : std::visit([](const auto& kind) { return kind.kName; }, verdict);
}

[[nodiscard]] inline const std::string& detail_of(const Verdict& verdict) {
    return std::visit([](const auto& kind) -> const std::string& { return kind.detail; }, verdict);
}

[[nodiscard]] inline Verdict with_detail(Verdict verdict, std::string detail) {
    std::visit([&](auto& kind) { kind.detail = std::move(detail); }, verdict);
    return verdict;
}

}  // namespace lockkeeper
