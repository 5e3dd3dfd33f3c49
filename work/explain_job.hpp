// SPDX-License-Identifier: Apache-2.0

// `lockkeeper explain`, with all that is made of an answer: its run in a system's own steps, a
// scenario file, another variant's answer, reports. Called by app/. Errors: as run_command and
// ask_incident.
#pragma once

#include <iosfwd>
#include <vector>

#include "validate/logs/command.hpp"
#include "work/desk.hpp"

namespace lockkeeper {

struct ExplainedLogs {
    int exit_code = 0;
    std::vector<RunReport> reports;  // of each lock, where they are wanted
};

// `out`: where answers are told as text, or as the document of `asked`.
[[nodiscard]] ExplainedLogs explain_logs(const Desk& desk, const logs::Asked& asked,
                                         bool wants_reports, std::ostream& out);

}  // namespace lockkeeper
