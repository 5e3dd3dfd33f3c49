// SPDX-License-Identifier: Apache-2.0

// Errors that end a file, or the command, with one line on stderr because a person gave something
// wrong. Thrown by whoever makes something of a scenario; handled by app/.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

// The command line or the environment is wrong.
class UsageError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A file is wrong. Thrown by what handles one file; the other files go on.
class BadInput : public std::runtime_error {
  public:
    explicit BadInput(const InputError& error)
        : std::runtime_error(error.text()), place_(error.place) {}
    // In the file; nothing: it is not known.
    [[nodiscard]] std::optional<TextPlace> place() const { return place_; }

  private:
    std::optional<TextPlace> place_;
};

// Refuses the value at `pointer`, which was found to be wrong after the file was read.
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
// The same of a file that is one of two things.
template <class One, class Other>
[[nodiscard]] std::variant<One, Other> value_or_throw(std::variant<One, Other, InputError> result) {
    if (const auto* error = std::get_if<InputError>(&result)) {
        throw BadInput(*error);
    }
    if (auto* one = std::get_if<One>(&result)) {
        return std::move(*one);
    }
    return std::move(std::get<Other>(result));
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

// Where what is wrong is handed on: nothing, and the value is in `into`.
template <class Value>
[[nodiscard]] std::optional<InputError> take_value(std::variant<Value, InputError> result,
                                                   Value& into) {
    if (auto* error = std::get_if<InputError>(&result)) {
        return std::move(*error);
    }
    into = std::get<Value>(std::move(result));
    return std::nullopt;
}

}  // namespace lockkeeper
