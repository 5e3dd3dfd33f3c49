// SPDX-License-Identifier: Apache-2.0

// One run as a table for people: step, what was done by whom, its result, counters and holders
// after it. Groups of steps that are repeated are written once. The violating step is marked '!',
// steps that the violation needs '*'; above the table stands the cause. Used by run_text. Plain
// ASCII, no escape sequences, no errors.
#pragma once

#include <string>

#include "scheduler/runs/trace.hpp"

namespace lockkeeper {

// "cause: 2 of 14 decisions: step 3 (A acquire: ...), step 9 (...)", or empty: no cause is marked.
[[nodiscard]] std::string cause_text(const Trace& trace);
// The table, with the cause above and the broken properties' definitions below.
// `property` null: every violated property is marked, else this one only.
[[nodiscard]] std::string trace_text(const Trace& trace, const Property* property = nullptr);

}  // namespace lockkeeper
