// SPDX-License-Identifier: Apache-2.0

// Jobs for code that others wrote, as they are asked for: a program of the protocol
// (docs/reference/protocol.md), or unmodified clients of a real server. Errors: BadInput,
// UsageError.
#pragma once

#include <cstdint>
#include <string>

#include "validate/programs/choose_built_ins.hpp"
#include "work/desk.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {

// A scenario made ready to be put to what is asked for.
[[nodiscard]] ProgramJob program_job(const Desk& desk, Scenario scenario);
[[nodiscard]] ProgramJob wire_job(const Desk& desk, Scenario scenario);
// A program is asked for, or clients at the wire. UsageError: both, or half of it.
[[nodiscard]] bool names_outside_code(const Asked& asked);
// A scenario in a file, or a trace that an earlier run has written and that is repeated, made
// ready.
[[nodiscard]] ProgramJob outside_job(const Desk& desk, const std::string& file,
                                     std::int64_t lease_time = 0);
// The scenarios that are put to a program where nobody names any.
[[nodiscard]] ChosenBuiltIns built_ins_for(const Desk& desk);
// The flags that say how clients are held and what may happen to them, as given_again.
[[nodiscard]] std::string wire_flags_again(const Asked& asked);

}  // namespace lockkeeper
