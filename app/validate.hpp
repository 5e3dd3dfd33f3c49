// The ways in of `validate`. Each prints its report and returns the exit code; UsageError and
// BadInput are handled by the caller.
#pragma once

#include "app/session.hpp"

namespace lockkeeper {

// Of --against, where no flag says otherwise.
inline constexpr std::uint64_t kAgainstSchedules = 1'000;
inline constexpr std::uint64_t kAgainstSteps = 10'000;

int validate_history(const Session& session);
int validate_program(const Session& session);
int validate_database(const Session& session);
int validate_against(const Session& session);

}  // namespace lockkeeper
