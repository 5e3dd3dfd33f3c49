// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "app/verbs.hpp"
#include "measure/sweep_condition.hpp"
#include "reports/outputs.hpp"
#include "reports/progress.hpp"
#include "reports/sweep_report.hpp"
#include "scenarios/bad_input.hpp"
#include "scheduler/base/process_memory.hpp"
#include "work/results/conclusion.hpp"
#include "work/results/sweep_table.hpp"

namespace lockkeeper {
namespace {

void write_scenarios(const Session& session, const SweptTable& table) {
    for (const auto& [name, text] : scenarios_of(session.registry, table)) {
        TextOutput(session.out, *session.options.out_directory + "/" + name,
                   output_rule(session, "{\n"))
            .write(text);
    }
}

void explore(const Session& session, SweptTable& table) {
    const Options& options = session.options;
    ProgressLine line(session.err, session.err_is_terminal, options.quiet, {table.points.size()});
    SweepLimits limits{static_cast<unsigned>(jobs_of(options)), {options.ranks}};
    limits.states_max = first_of(options.states_max, table.sweep.states_max, UINT64_MAX);
    limits.seconds_max = session.deadline.left(limits.seconds_max);
    limits.bytes_max = options.bytes_max.value_or(memory_default());
    limits.progress = [&](std::uint64_t done, double seconds) {
        line.show(MeasureProgress{done, seconds});
    };
    table.results = value_or_throw(
        run_sweep(session.registry, table.sweep, table.points, limits, vary_by(session.registry)));
}

RunReport sweep_file(const Session& session, const std::string& file) {
    const Deadline began;
    const SweepFlags& flags = session.options.sweep;
    std::optional<TextOutput> table_file;
    if (flags.table_file) {
        table_file.emplace(session.out, *flags.table_file, output_rule(session, kSweepTableMark));
    }
    RunReport report;
    report.command = name_of(session.options.command);
    report.file = file;
    SweptTable& table = report.details.emplace<SweptTable>(begin_sweep(file, flags));
    report.about = table.sweep.about;
    session.writer->head(report);
    if (session.options.out_directory) {
        write_scenarios(session, table);
    }
    explore(session, table);
    report.seconds = began.elapsed();
    report.verdict = sweep_verdict(table);
    report.is_interrupted = interrupt_requested();
    if (flags.check) {
        compare_with_stored(*flags.check, table, report);
    }
    if (table_file) {
        table_file->write(sweep_table_json(table));
    }
    session.writer->result(report);
    return report;
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

}  // namespace lockkeeper
