// SPDX-License-Identifier: Apache-2.0

// Every verb has a Session while a command runs, and all verbs share the loop over files: a bad
// file gives one line on stderr, and the other files go on.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "reports/outputs.hpp"
#include "reports/progress.hpp"
#include "reports/writer.hpp"
#include "scenarios/find_files.hpp"
#include "scenarios/registry/registry.hpp"
#include "scheduler/base/deadline.hpp"

namespace lockkeeper {

struct Session {
    const Registry& registry;
    const Options& options;
    std::ostream& out;
    std::ostream& err;
    bool err_is_terminal = false;
    Writer* writer = nullptr;  // of stdout
    Deadline deadline{};       // --time-limit, for all that the command does

    // One line on stderr.
    void complain(const std::string& line) const;
    // Some format of stdout or of a file of --report is such a one.
    [[nodiscard]] bool writes(bool ReportFormat::*such) const;
};

// Runs each file, writes its result on stdout and in the files of --report, and returns the exit
// code. Ends early only when interrupted. Errors become verdicts. `results`: what is known before.
[[nodiscard]] int run_files(const Session& session, Results results,
                            const std::vector<InputFile>& files,
                            const std::function<RunReport(const std::string& file)>& run);

// The same with results that there are already. Returns their exit code.
[[nodiscard]] int tell_results(const Session& session, Results results);

// By --force and the files on the command line. `inputs`: the files found in directories.
[[nodiscard]] OutputRule output_rule(const Session& session, std::string_view mark,
                                     const std::vector<InputFile>& inputs = {});
// On stderr while something works.
[[nodiscard]] ProgressLine progress_line(const Session& session, ProgressLimits limits = {});

// Runs `write`, for one more file of the report. Where it cannot be written, as on a full disk,
// stderr has a line that says so, and the report goes on.
void write_beside(const Session& session, RunReport& report, const std::function<void()>& write);

}  // namespace lockkeeper
