// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.hpp"
#include "reports/read_results.hpp"
#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {
int verb_replay(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kTraces);
    if (files.size() > 1 && session.options.history_out) {
        throw UsageError("--history: goes with one file, whose history it is");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return replay_file(session, file); });
}

// Results that stand in a file are told as they are; a trace is replayed.
int verb_report(const Session& session) {
    const Options& flags = session.options;
    if (flags.report_files.empty()) {
        throw UsageError("report: -o FILE: where is the report to go?");
    }
    if (auto results = results_in(flags.files)) {
        return tell_results(session, *std::move(results));
    }
    return verb_replay(session);
}

}  // namespace lockkeeper
