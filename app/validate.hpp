// The ways in of `validate`. Each prints its report and returns the exit code; UsageError and
// BadInput are handled by the caller.
#pragma once

#include "app/session.hpp"

namespace lockkeeper {

int validate_history(const Session& session);
int validate_program(const Session& session);
int validate_server(const Session& session);
int validate_against(const Session& session);

}  // namespace lockkeeper
