// The outcome of a run, closed: every place that reads a verdict must say what it does with "do
// not know". Never a bool.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "model/schedule.hpp"

namespace lockkeeper {

struct Passed {};

struct Violated {
    std::string property;
    Schedule schedule;  // ends with the violating step; for a cycle, see cycle_start
    std::string detail;
    // Livelock: the schedule from this step on is a cycle that returns to the same state.
    std::size_t cycle_start = static_cast<std::size_t>(-1);
};

// Nothing is enabled and somebody is unfinished, and no property was asked that judges it.
struct Stuck {
    Schedule schedule;
};

// A limit ended the search before it could decide.
struct Inconclusive {
    std::string limit;
};

// The limit where virtual time has come to its end before somebody has finished.
inline constexpr std::string_view kTimeIsOver = "virtual time ends while somebody is unfinished";

// The harness broke, or was told something impossible.
struct Error {
    std::string message;
};

using Verdict = std::variant<Passed, Violated, Stuck, Inconclusive, Error>;

[[nodiscard]] inline std::string_view name_of(const Verdict& verdict) {
    constexpr std::string_view kNames[] = {"passed", "violated", "stuck", "inconclusive", "error"};
    return kNames[verdict.index()];
}

}  // namespace lockkeeper
