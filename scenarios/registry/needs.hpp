// SPDX-License-Identifier: Apache-2.0

// The room that a scenario needs, and whether a compiled size has it. For the registry and for
// whoever compiles a system in several sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

// The room that a scenario needs.
struct Needs {
    std::size_t callers = 0;
    std::size_t keys = 0;
    std::size_t buckets = 0;
    std::size_t max_per = 0;
    std::size_t script = 0;      // operations of the longest script, repetitions written out
    std::size_t locks = 0;       // of one key, held by one caller at once
    std::size_t remembered = 0;  // the same, of operations that follow resizes
    std::size_t signals = 0;
    std::size_t counter = 0;  // the largest that a table begins with
    // Locks of a key that the monitors of an acquire tell apart: all that may be held at once, as
    // far as somebody's capacity goes.
    std::size_t held = 0;
};
[[nodiscard]] Needs needs_of(const Scenario& scenario);

// Needs::held of a World whose monitors are of this type. What two bytes hold is more than any
// capacity.
template <class Count>
constexpr std::size_t held_room() {
    return sizeof(Count) > 1 ? SIZE_MAX : std::numeric_limits<Count>::max();
}
[[nodiscard]] bool fits(const Needs& needs, const Needs& compiled);

// Lists what does not fit, for messages: "callers 20 of at most 16, ..."; empty when all does.
[[nodiscard]] std::string lacking(const Needs& needs, const Needs& compiled);

// Lists the sizes to compile, for messages: "4 callers, 1 key, 3 buckets, ..."
[[nodiscard]] std::string text_of(const Needs& needs);

}  // namespace lockkeeper
