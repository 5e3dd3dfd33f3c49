// SPDX-License-Identifier: Apache-2.0

// What became of a file that could not be run, as a verdict: what was thrown is either the fault of
// whoever wrote the file or gave the flag, or of the harness.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/verdict.hpp"
#include "reports/run_report.hpp"
#include "scenarios/find_files.hpp"

namespace lockkeeper {

// Runs it. Nothing: it has run. `name`: of the file, in messages. UsageError goes on to whoever
// calls: it is no fault of this file.
[[nodiscard]] std::optional<Verdict> failure_of(const std::string& name,
                                                const std::function<void()>& run);

// The report of the file: what `run` makes of it, or that the file was refused, or the harness is
// wrong, which `complain` is told. `command`: "explore".
[[nodiscard]] RunReport run_one_file(const InputFile& file, const std::string& command,
                                     const std::function<RunReport(const std::string& path)>& run,
                                     const std::function<void(const std::string&)>& complain);

}  // namespace lockkeeper
