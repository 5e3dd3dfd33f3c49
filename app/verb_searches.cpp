// SPDX-License-Identifier: Apache-2.0

// The verbs that search a scenario, and the one that measures it.
#include "app/verbs.hpp"
#include "reports/read_results.hpp"
#include "reports/xml.hpp"
#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"

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

int verb_run(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kEachCase);
    return run_files(session, ResultsKind::kTests, files,
                     [&](const std::string& file) { return test_scenario(session, file); });
}

int verb_fuzz(const Session& session) {
    return run_files(session, ResultsKind::kRuns,
                     find_files(session.options.files, FileKind::kScenarios),
                     [&](const std::string& file) { return fuzz_scenario(session, file); });
}

int verb_explore(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    const Options& asked = session.options;
    if (files.size() > 1 && (asked.checkpoint || asked.resume || asked.disk || asked.certificate)) {
        throw UsageError("--certificate, --checkpoint, --disk and --resume go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return explore_scenario(session, file); });
}

int verb_prove(const Session& session) {
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (files.size() > 1 && (session.options.certificate || session.options.scenario_out)) {
        throw UsageError("--certificate and --scenario-out go with one scenario");
    }
    return run_files(session, ResultsKind::kRuns, files,
                     [&](const std::string& file) { return prove_scenario(session, file); });
}

int verb_check_certificate(const Session& session) {
    const std::vector<std::string>& files = session.options.files;
    if (files.size() != 2) {
        throw UsageError("check-certificate: a certificate and its scenario are needed");
    }
    return run_files(session, ResultsKind::kRuns, {{files[1], ""}}, [&](const std::string& file) {
        return check_certificate(session, files[0], file);
    });
}

namespace {

void write_plot(TextOutput& file, RunReport& report) {
    Results only;
    only.kind = ResultsKind::kMeasurements;
    only.files = {report};
    file.write(written(*find_format("svg"), only));
    report.files_written.push_back(file.path());
}

}  // namespace

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

int verb_measure(const Session& session) {
    const MeasureFlags& flags = session.options.measure;
    const auto files = find_files(session.options.files, FileKind::kScenarios);
    if (names_outside_code(session.options)) {
        return run_files(session, ResultsKind::kMeasurements, files,
                         [&](const std::string& file) { return measure_outside(session, file); });
    }
    std::vector<MeasureOutputs> outputs = claim_measure_outputs(
        session.out, {flags.svg_file, flags.prism_directory, flags.plan.points_count()},
        files.size(), output_rule(session, "", files), output_rule(session, kXmlMark, files));
    std::size_t measured = 0;
    return run_files(session, ResultsKind::kMeasurements, files, [&](const std::string& file) {
        MeasureOutputs& written = outputs.at(measured++);
        RunReport report = measure_scenario(session, file, written.chains);
        write_beside(session, report, [&] {
            if (written.svg) {
                write_plot(*written.svg, report);
            }
        });
        return report;
    });
}

}  // namespace lockkeeper
