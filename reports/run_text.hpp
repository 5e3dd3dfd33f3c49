// SPDX-License-Identifier: Apache-2.0

// The report of one run for people, in three parts, so that the first line stands on the screen
// while the search still runs. Used by the verbs of app/. Plain ASCII, no errors.
#pragma once

#include <string>

#include "work/results/run_report.hpp"
#include "work/results/told.hpp"

namespace lockkeeper {

// "lockkeeper 1.0.0 (1d41631ad230)  seed 1  strategy breadth-first  scope: 2 callers, ...", and a
// second line with the file, the system and what is checked. Needs only what is known before.
[[nodiscard]] std::string head_text(const RunReport& report);
// Violations with their traces, the numbers, the goals.
[[nodiscard]] std::string body_text(const RunReport& report);
// "P2 leak (critical) in 14 steps, found by pct".
[[nodiscard]] std::string finding_title(const Finding& finding);
// Which goals were reached, and which not; nothing where none were asked for.
[[nodiscard]] std::string goals_text(const RunReport& report);
// "complete: 2 callers, 361 states"
[[nodiscard]] std::string scope_line(const RunReport& report);
// Verdict, scope, seed, files written, the command that repeats it.
[[nodiscard]] std::string foot_text(const RunReport& report);
// `replay` empty: without such a command.
[[nodiscard]] std::string foot_text(const RunReport& report, const std::string& scope,
                                    const std::string& replay);

}  // namespace lockkeeper
