// What every verb has at hand while a command runs, and the loop over files that all verbs share:
// a bad file gives one line on stderr, and the other files go on.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "reports/outputs.hpp"
#include "reports/writer.hpp"
#include "scenarios/find_files.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

struct Session {
    const Registry& registry;
    const Options& options;
    std::ostream& out;
    std::ostream& err;
    bool err_is_terminal = false;
    Writer* writer = nullptr;  // of stdout

    // One line on stderr.
    void complain(const std::string& line) const;
};

// What became of a file that could not be run, said on stderr; nothing: it was run. UsageError goes
// on to whoever calls.
[[nodiscard]] std::optional<Verdict> failure_of(const Session& session, const InputFile& file,
                                                const std::function<void()>& run);

// Runs each file and writes what it came to, on stdout and in the files of --report. Ends early
// only when interrupted. Errors become verdicts. `results`: what is known before. Returns the exit
// code.
[[nodiscard]] int run_files(const Session& session, Results results,
                            const std::vector<InputFile>& files,
                            const std::function<RunReport(const std::string& file)>& run);

// The same with results that there are already. Returns their exit code.
[[nodiscard]] int tell_results(const Session& session, Results results);
// Some file of --report shows runs step by step.
[[nodiscard]] bool shows_runs(const Options& options);

// By --force and the files that are named on the command line. `inputs`: those found in
// directories.
[[nodiscard]] OutputRule output_rule(const Session& session, std::string_view mark,
                                     const std::vector<InputFile>& inputs = {});
// Runs `write`. False: a file cannot be written, as on a full disk, and stderr has a line that says
// so. The report goes on.
[[nodiscard]] bool write_or_complain(const Session& session, const std::function<void()>& write);

// A command that has no result: a line on stderr, and what the format has for it. Returns the exit
// code.
[[nodiscard]] int end_without_result(const Session& session, int exit_code,
                                     const std::string& message);

}  // namespace lockkeeper
