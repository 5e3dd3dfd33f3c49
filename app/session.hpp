// SPDX-License-Identifier: Apache-2.0

// Every verb has a Session while a command runs, and all verbs share the loop over files: a bad
// file gives one line on stderr, and the other files go on.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/options.hpp"
#include "reports/writer.hpp"
#include "scenarios/find_files.hpp"
#include "work/desk.hpp"

namespace lockkeeper {

struct Streams {
    std::ostream& out;
    std::ostream& err;
    bool err_is_terminal = false;
};

// Everything stays where it is: the streams, the options and the writer live longer.
struct Session : Desk {
    Session(const Registry& systems, const Options& flags, const Streams& streams,
            Writer& stdout_writer);

    const Options& options;
    std::ostream& out;
    std::ostream& err;
    Writer* writer;  // of stdout
};

// Runs each file, writes its result on stdout and in the files of --report, and returns the exit
// code. Ends early only when interrupted. Errors become verdicts. `results`: what is known before.
[[nodiscard]] int run_files(const Session& session, Results results,
                            const std::vector<InputFile>& files,
                            const std::function<RunReport(const std::string& file)>& run);

// Writes the files of --report alone.
void write_reports(const Session& session, Results& results);
// The same with results that there are already. Returns their exit code.
[[nodiscard]] int tell_results(const Session& session, Results results);

}  // namespace lockkeeper
