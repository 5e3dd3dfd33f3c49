// SPDX-License-Identifier: Apache-2.0

// Makes a verdict from the exception that kept a file from running. At fault is either whoever
// wrote the file or gave the flag, or the harness. And the names of such files, as code hosts write
// them.
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

// A file as a code host names it, for the formats that a code host shows beside the source.
// The path from the root of the file's repository, which is the nearest directory above it that has
// a ".git". Outside of any repository: from the working directory where the file is below it, else
// the absolute path. Standard input stays "-".
[[nodiscard]] std::string repository_path(const std::string& file);
// The directory from which that path counts; empty: the path is absolute, or standard input.
[[nodiscard]] std::string repository_root(const std::string& file);

// The file that a command line runs.
// "lock.py" for "python3 lock.py --wrong": the first word that names a file of the user's, which is
// one in a repository or below the working directory; else the first file that is no program; else
// the program itself, looked up as the shell does. Empty: there is none.
[[nodiscard]] std::string file_of_command(const std::string& command);

}  // namespace lockkeeper
