// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
int verb_sweep(const Session& session) {
    const SweepFlags& flags = session.options.sweep;
    const bool has_one_answer = flags.check || flags.table_file || session.options.csv_file ||
                                session.options.out_directory || session.options.format == "json";
    if (has_one_answer && session.options.files.size() != 1) {
        throw UsageError("--check, --table, --csv, --out and --format json go with one sweep");
    }
    std::vector<InputFile> files;
    for (const std::string& file : session.options.files) {
        files.push_back({file, ""});
    }
    return run_files(session, ResultsKind::kSweeps, files,
                     [&](const std::string& file) { return sweep_file(session, file); });
}

}  // namespace lockkeeper
