// SPDX-License-Identifier: Apache-2.0
#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "reports/read_results.hpp"
#include "scenarios/bad_input.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/recorded_trace.hpp"
#include "work/marked_history.hpp"
#include "work/replay_job.hpp"

namespace lockkeeper {
namespace {

RunReport replay_file(const Session& session, const std::string& file) {
    const Options& flags = session.options;
    std::optional<TextOutput> history;
    if (flags.history_out) {
        history.emplace(session.out, *flags.history_out,
                        output_rule(session, kHistoryMark, {{file, ""}}));
    }
    const auto loaded = value_or_throw(load_replayable(file));
    refuse_outside_lock(loaded, file, given_again(flags, {"--schedule", "--report"}));
    const auto* trace = std::get_if<RecordedTrace>(&loaded);
    ReplayRequest request{trace, std::nullopt, flags.cycle_from, flags.on_divergence,
                          session.writes(&ReportFormat::compares_runs)};
    if (flags.schedule) {
        request.given = schedule_of_flag("--schedule", *flags.schedule);
    }
    const Job job = prepare(session, trace ? trace->scenario : std::get<Scenario>(loaded));
    RunReport report = begin_replay(job, request, name_of(flags.command));
    session.writer->head(report);
    run_replay(job, request, report);
    if (history && report.replayed) {
        write_beside(session, report, [&] {
            history->write(marked_history(job.runner->world(), *report.replayed));
            report.files_written.push_back(history->path());
        });
    }
    session.writer->result(report);
    return report;
}

}  // namespace

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
    try {
        if (auto results = results_in(flags.files)) {
            return tell_results(session, *std::move(results));
        }
    } catch (const BadInput& error) {
        session.complain(error.what());
        session.writer->refused(kExitInput, error.what());
        return kExitInput;
    }
    return verb_replay(session);
}

}  // namespace lockkeeper
