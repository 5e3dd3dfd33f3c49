// SPDX-License-Identifier: Apache-2.0

// A run as a value: the seed that made it and the actions that were chosen. Prints to one short
// line and parses back; the only thing needed to repeat a run.
//
//   lk1:42:s0*3,b0.1,s1,(s0,s1*2)*4,x0,r
//   |   |  +- actions: s<caller> step (s<caller>.<question> of a program),
//   |   |     b<actor>.<argument> background, x<caller> crash, r resize, f<caller>.<fault> a step
//   that goes |   |     wrong, d<actor>.<fault> a disturbance, t<actor>.<time> virtual time; *n
//   repeats an |   |     action, or a group in parentheses, n times |   +---- seed, decimal
//   +-------- format and its version
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/action.hpp"

namespace lockkeeper {

inline constexpr std::string_view kScheduleVersion = "lk1";
// A longer schedule, or groups deeper in each other, are refused when parsed (untrusted input).
inline constexpr std::size_t kScheduleStepsMax = 10'000'000;
inline constexpr std::size_t kScheduleDepthMax = 16;

struct Schedule {
    std::uint64_t seed = 0;
    std::vector<Action> actions;

    friend bool operator==(const Schedule&, const Schedule&) = default;
};

struct ScheduleError {
    std::size_t offset = 0;  // byte in the line, from 0
    std::string message;
};

// Groups that are repeated three times or more are written once.
[[nodiscard]] std::string to_line(const Schedule& schedule);
// Without groups: as names and hashes of older files were made.
[[nodiscard]] std::string to_unfolded_line(const Schedule& schedule);
[[nodiscard]] std::string to_text(Action action);
[[nodiscard]] std::variant<Schedule, ScheduleError> parse_schedule(std::string_view line);
[[nodiscard]] std::variant<Action, ScheduleError> parse_action(std::string_view text);

}  // namespace lockkeeper
