// SPDX-License-Identifier: Apache-2.0
#include "app/execute.hpp"
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "work/expectation.hpp"

namespace lockkeeper {
namespace {

// Runs the job as the scenario's author wants. It computes only what the expectation asks for.
void execute(const Session& session, const Job& job, RunReport& report) {
    const Expectation& expect = job.scenario.expect;
    const bool compares = session.writes(&ReportFormat::compares_runs);
    switch (job.scenario.method) {
        case Method::kExplore:
            if (job.scenario.find) {
                execute_find(session, job, *job.scenario.find, report);
                return;
            }
            execute_explore(session, job,
                            {.stop_at_first = job.scenario.stop_at_first,
                             .shrinks = false,
                             .writes = false,
                             .counting = expect.interleavings ? Counting::kOn : Counting::kOff},
                            report);
            return;
        case Method::kFuzz:
            execute_fuzz(
                session, job,
                {.stop_at_first = job.scenario.stop_at_first || expect.properties.size() < 2,
                 .shrinks = expect.steps.has_value(),
                 .writes = false},
                report);
            return;
        case Method::kOrder:
        case Method::kReplay:
            // One line a file; the whole trace is what replay shows, and a page.
            run_own(job, compares, compares, session.deadline, report);
            return;
    }
}

// Whoever has to look into a failure wants its trace, and only then is it worth the time.
void explain_failure(const Session& session, const Job& job, RunReport& report) {
    const bool shows_runs = session.writes(&ReportFormat::shows_runs);
    const bool has_run = report.replayed ? shows_runs : !report.findings.empty();
    if (!has_run || (!session.options.out_directory && !shows_runs)) {
        return;
    }
    RunReport explained = begin_report(session, job, report.strategy);
    if (report.replayed) {
        run_own(job, true, false, session.deadline, explained);
        report.replayed = std::move(explained.replayed);
    } else if (report.explored) {
        execute_explore(session, job,
                        {.stop_at_first = job.scenario.stop_at_first, .counting = Counting::kOff},
                        explained);
    } else {
        execute_fuzz(session, job, {}, explained);
    }
    // A search for a boundary has findings of another value.
    if (!explained.findings.empty()) {
        report.findings = std::move(explained.findings);
    }
    report.files_written = std::move(explained.files_written);
}

RunReport run_file(const Session& session, const std::string& file) {
    const Job job = prepare(session, value_or_throw(load_scenario(file)));
    RunReport report = begin_report(session, job, strategy_of(job));
    if (session.options.verbose) {
        session.writer->head(report);
    }
    execute(session, job, report);
    judge_expectation(
        job.scenario, job.runner->world(), [&] { return check_rates(session, job); }, report);
    if (!is<Passed>(*report.met) && !report.is_interrupted) {
        explain_failure(session, job, report);
    }
    session.writer->result(report);
    return report;
}

}  // namespace

int verb_run(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kEachCase);
    return run_files(session, ResultsKind::kTests, files,
                     [&](const std::string& file) { return run_file(session, file); });
}

}  // namespace lockkeeper
