// SPDX-License-Identifier: Apache-2.0

// Scenarios and traces of locks that no model stands for: programs of the protocol and unmodified
// clients of a server. `validate` and `measure` run them, with the command that the command line
// gives; no command is started because a file has it. Every other verb says what to type instead.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "scenarios/recorded_trace.hpp"

namespace lockkeeper {

class Place;

// A scenario's names for such a lock.
inline constexpr const char* kProgramSystem = "program";
inline constexpr const char* kWireSystem = "wire";
inline constexpr const char* kOutsideSystem = "outside";  // either of them
[[nodiscard]] bool is_outside_lock(const std::string& system);

// A sentence for such a scenario. `more`: the flags to be typed again, " --schedule lk1:1:s0".
[[nodiscard]] std::string what_to_type(const std::string& system, const std::string& file,
                                       const std::string& more = "");

// The lock of a trace: "--program", "./lock". Empty: it is a model's. Throws RefusedInput.
[[nodiscard]] std::vector<std::string> outside_words(const Place& trace);
[[nodiscard]] std::string what_to_type(const std::vector<std::string>& words,
                                       const std::string& file, const std::string& more = "");
// The same for a file that was read as something else. Empty: it has no such lock.
[[nodiscard]] std::string what_to_type(const Place& document, const std::string& file);

// For verbs that run models alone. Throws BadInput with what to type.
void refuse_outside_lock(const std::variant<Scenario, RecordedTrace>& loaded,
                         const std::string& file, const std::string& more = "");

}  // namespace lockkeeper
