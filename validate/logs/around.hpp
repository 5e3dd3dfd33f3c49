// SPDX-License-Identifier: Apache-2.0

// A window of long logs: what was said within a minute of a time. Called by the command, before
// logs are parted by locks.
#pragma once

#include <string>

#include "validate/logs/observation.hpp"
#include "validate/logs/written_time.hpp"

namespace lockkeeper::logs {

inline constexpr std::int64_t kAround = 60'000'000'000;  // nanoseconds, on each side

// Leaves the lines of the window, and those before it that may still take effect within it: calls
// and answers whose operation nobody knows to have ended. Says how many are left. LogError: none.
[[nodiscard]] std::string keep_around(Logs& logs, const LogTime& time);

}  // namespace lockkeeper::logs
