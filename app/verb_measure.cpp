// SPDX-License-Identifier: Apache-2.0
#include "app/verbs.hpp"
#include "reports/xml.hpp"
#include "scenarios/bad_input.hpp"
#include "work/jobs.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {
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
