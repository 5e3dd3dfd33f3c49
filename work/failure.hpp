// SPDX-License-Identifier: Apache-2.0

// Makes a verdict from the exception that kept a file from running. At fault is either whoever
// wrote the file or gave the flag, or the harness.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/verdict.hpp"
#include "scenarios/find_files.hpp"
#include "work/results/run_report.hpp"

namespace lockkeeper {

// Calls `run`, and returns nothing if it succeeds. `name`: of the file, in messages. Passes
// UsageError on to the caller, because this file is not at fault.
[[nodiscard]] std::optional<Verdict> failure_of(const std::string& name,
                                                const std::function<void()>& run);

// Returns the report that `run` makes. If the file was refused or the harness is wrong, the report
// says so, and `complain` gets the reason. `command`: "explore".
[[nodiscard]] RunReport run_one_file(const InputFile& file, const std::string& command,
                                     const std::function<RunReport(const std::string& path)>& run,
                                     const std::function<void(const std::string&)>& complain);

}  // namespace lockkeeper
