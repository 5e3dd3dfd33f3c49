// SPDX-License-Identifier: Apache-2.0

// The ways in of `validate`. Each prints its report and returns the exit code; UsageError and
// BadInput are handled by the caller.
#pragma once

#include <cstdint>
#include <string>

#include "app/execute.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {

int validate_history(const Session& session);
int validate_program(const Session& session);
int validate_server(const Session& session);
int validate_wire(const Session& session);
int validate_against(const Session& session);

// A scenario made ready to be put to a --program, as the flags say. Throws BadInput.
[[nodiscard]] ProgramJob program_job(const Session& session, Scenario scenario);
[[nodiscard]] ProgramJob wire_job(const Session& session, Scenario scenario);
// The flags name a program, or clients at the wire. UsageError: both, or half of it.
[[nodiscard]] bool names_outside_code(const Options& options);
// A scenario in a file, or a trace that an earlier run has written and that is repeated, made ready
// for what they name. Throws BadInput.
[[nodiscard]] ProgramJob outside_job(const Session& session, const std::string& file,
                                     std::int64_t lease_time = 0);
// The flags that say how clients are held and what may happen to them, as given_again.
[[nodiscard]] std::string wire_flags_again(const Options& options);
// Says which goals nobody will see. `command`: what puts this scenario to the lock again.
void prepare_job(const Session& session, const std::string& command, ProgramJob& job);
// Searches, or repeats the run that the job has, and writes what is found: of a program at the
// stepped level, of unmodified clients.
void validate_stepped(const Session& session, ProgramJob& job);
// The calls and returns of a run, into --out.
void keep_history(const Session& session, ProgramJob& job);

}  // namespace lockkeeper
