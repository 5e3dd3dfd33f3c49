// What the command's exit code says, and the failures that end a command or a file with one line
// on stderr. Documented in docs/COMMAND_LINE.md and printed by `lockkeeper list`.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

enum ExitCode : int {
    kExitPassed = 0,
    kExitViolated = 1,
    kExitInconclusive = 2,
    kExitDiverged = 3,
    kExitUsage = 64,
    kExitInput = 65,
    kExitInternal = 70,
    kExitInterrupted = 130,
};

struct ExitCodeMeaning {
    ExitCode code;
    std::string_view meaning;
};
inline constexpr std::array kExitCodes{
    ExitCodeMeaning{kExitPassed, "passed: nothing is violated, every expectation is met"},
    ExitCodeMeaning{kExitViolated,
                    "violated: a property, a goal that was not reached, or an expectation"},
    ExitCodeMeaning{kExitInconclusive, "inconclusive: a limit or the time ended the search"},
    ExitCodeMeaning{kExitDiverged, "divergence of a replay, or nondeterminism"},
    ExitCodeMeaning{kExitUsage, "usage: the command line or the environment is wrong"},
    ExitCodeMeaning{kExitInput, "input: a file is missing, malformed, or asks for too much"},
    ExitCodeMeaning{kExitInternal, "internal error: the harness is wrong, there is no verdict"},
    ExitCodeMeaning{kExitInterrupted, "interrupted: the partial result has been written"},
};

// Of several files the worst one counts: interrupted, internal error, bad input, divergence,
// violation, inconclusive, passed.
[[nodiscard]] int worse_exit_code(int left, int right);

// The command line or the environment is wrong.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A file is wrong. Thrown by what handles one file; the other files go on.
class BadInput : public std::runtime_error {
  public:
    explicit BadInput(const InputError& error) : std::runtime_error(error.text()) {}
};

// What the file says at `pointer` is wrong, as was found after it was read.
[[noreturn]] inline void refuse(const Scenario& scenario, const std::string& pointer,
                                const std::string& message) {
    throw BadInput(located(scenario, {scenario.file, pointer, message}));
}

// The value, or BadInput.
template <class Value>
[[nodiscard]] Value value_or_throw(std::variant<Value, InputError> result) {
    if (const auto* error = std::get_if<InputError>(&result)) {
        throw BadInput(*error);
    }
    return std::move(std::get<Value>(result));
}
// The same of what was made of a scenario: with its place in the scenario's text.
template <class Value>
[[nodiscard]] Value value_or_throw(const Scenario& scenario,
                                   std::variant<Value, InputError> result) {
    if (const auto* error = std::get_if<InputError>(&result)) {
        throw BadInput(located(scenario, *error));
    }
    return std::move(std::get<Value>(result));
}

}  // namespace lockkeeper
