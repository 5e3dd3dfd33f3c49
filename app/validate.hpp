// SPDX-License-Identifier: Apache-2.0

// The ways in of `validate`. Each prints its report and returns the exit code; UsageError and
// BadInput are handled by the caller.
#pragma once

#include "app/execute.hpp"
#include "reports/program_report.hpp"

namespace lockkeeper {

int validate_history(const Session& session);
int validate_program(const Session& session);
int validate_server(const Session& session);
int validate_against(const Session& session);

// A scenario made ready to be put to a --program, as the flags say. Throws BadInput.
[[nodiscard]] ProgramJob program_job(const Session& session, Scenario scenario);

}  // namespace lockkeeper
